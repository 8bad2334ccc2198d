"""Compiled code that kernels share: rewards, recording, a cache that notices changes, seeds."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)
