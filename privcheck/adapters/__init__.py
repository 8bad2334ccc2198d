"""Audit policies of other libraries without changing them: MABWiser and coba.

>>> from privcheck.adapters import from_coba, from_mabwiser

Nothing is imported from these libraries: an adapter calls the methods of the objects that it is given.
"""

from __future__ import annotations

from privcheck.adapters.coba import from_coba
from privcheck.adapters.mabwiser import from_mabwiser

__all__ = ["from_coba", "from_mabwiser"]
