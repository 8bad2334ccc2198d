from ._fix import fix as fix
from ._fix import save_patch as save_patch
