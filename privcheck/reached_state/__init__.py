"""State that code reaches besides its arguments (globals, closures, attributes, caches, generators), and puts back."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)
