"""Audit policies of other libraries without changing them: MABWiser and coba.

>>> from privcheck.adapters import from_coba, from_mabwiser

Nothing is imported from these libraries: an adapter calls the methods of the objects that it is given.
"""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

__all__ = ["from_coba", "from_mabwiser"]
