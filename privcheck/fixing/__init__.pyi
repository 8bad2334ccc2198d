from ._fix import check_fixable as check_fixable
from ._fix import diff_bytes as diff_bytes
from ._fix import fix as fix
from ._fix import save_patch as save_patch
