"""Random generators: the one subclass of numpy's Generator, what becomes of its draws, and the global generators."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)
