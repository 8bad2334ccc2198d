"""What a result depends on besides its seed and its arguments: versions of code, and the processor's instructions."""

from __future__ import annotations

import functools
import hashlib
import platform
from pathlib import Path

from privcheck import __version__
from privcheck.errors import PrivcheckError, words


@functools.cache
def fingerprint() -> dict[str, str]:
    """Return the versions and processor features that decide about the last bit of a result, by name.

    Results are promised to be equal bit by bit where these are equal: numpy and LLVM choose instructions by processor.
    The version of privcheck has a hash of its source, since a version under development changes.

    Examples
    --------
    >>> sorted(fingerprint())
    ['llvmlite', 'machine', 'numba', 'numpy', 'privcheck', 'processor', 'processor features', 'python', 'scipy']
    """
    import llvmlite
    import llvmlite.binding
    import numba
    import numpy as np
    import scipy

    found = np.show_config(mode="dicts")["SIMD Extensions"]
    return {
        "privcheck": f"{__version__} ({_source()[:12]})",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
        "processor": llvmlite.binding.get_host_cpu_name(),
        "processor features": " ".join([*found["baseline"], *found.get("found", [])]),
    }


def check_same(other: dict[str, str], parameter: str, where: str, hint: str) -> None:
    """Refuse to mix results of this process with others.

    Parameters
    ----------
    other : the fingerprint of the others.
    parameter, where, hint : the argument in question, what the others are, and what to do, as in the error.

    Raises
    ------
    PrivcheckError : a fingerprint differs; the error names what does.

    Examples
    --------
    >>> check_same(fingerprint(), "store", "a store", "")
    """
    mine = fingerprint()
    names = [name for name in {**mine, **other} if mine.get(name) != other.get(name)]
    if names:
        got = ", ".join(f"{name} {other.get(name, 'unknown')}" for name in names)
        expected = ", ".join(f"{name} {mine.get(name, 'unknown')}" for name in names)
        raise PrivcheckError(parameter, words(f"{where} with {got}"), f"{expected}, as here", hint)


def _source() -> str:
    """Return the SHA-256 of all modules of privcheck, by their places in the package."""
    folder, digest = Path(__file__).parents[1], hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        digest.update(f"{file.relative_to(folder).as_posix()} {hashlib.sha256(file.read_bytes()).hexdigest()}".encode())
    return digest.hexdigest()
