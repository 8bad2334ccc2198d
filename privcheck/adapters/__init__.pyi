from ._coba import from_coba as from_coba
from ._mabwiser import from_mabwiser as from_mabwiser
