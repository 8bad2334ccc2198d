"""Private values: numbers whose sensitivity is computed, and which cannot be read before they are released."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)
