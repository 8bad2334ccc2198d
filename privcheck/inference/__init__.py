"""Tests, confidence limits and e-values from counts of events on two neighbouring inputs."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)
