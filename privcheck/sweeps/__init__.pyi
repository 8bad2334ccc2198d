from ._cell_store import MANIFEST as MANIFEST
from ._cell_store import read_rows as read_rows
from ._run_sweep import play_sweep as play_sweep
from ._run_sweep import sweep as sweep
from ._sweep_result import Sweep as Sweep
from ._sweep_result import read_sweep as read_sweep
