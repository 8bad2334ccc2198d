"""Audit the policies of other libraries as they are: MABWiser and coba.

>>> from privcheck.adapters import from_coba, from_mabwiser

Nothing of these libraries is imported here: an adapter calls the methods of the objects that it is given.
"""

from __future__ import annotations

from privcheck.adapters.coba import from_coba
from privcheck.adapters.mabwiser import from_mabwiser

__all__ = ["from_coba", "from_mabwiser"]
