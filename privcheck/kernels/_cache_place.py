"""Where compiled code is kept: for an installed privcheck in the user's cache, so that it outlives the installation.

Numba keeps it beside the source, under the time at which the file was written, so that a new environment or image
compiles everything again. Here it is found by what it was compiled from: the text of the file, and the versions of what
compiles it. In a checkout, which is edited, it stays beside the source.
"""

from __future__ import annotations

import functools
import hashlib
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import llvmlite
import numba
import numpy as np
from numba import config
from numba.core.caching import CompileResultCacheImpl, _CacheLocator
from numba.misc.appdirs import AppDirs

from privcheck.extras import is_installed


def cache_folder() -> Path:
    """Return the folder of compiled code: below NUMBA_CACHE_DIR if that is set, or in the user's cache."""
    root = cast("Any", config).CACHE_DIR or cast("Any", AppDirs)("privcheck", False).user_cache_dir
    python = f"{platform.python_implementation().lower()}{sys.version_info[0]}{sys.version_info[1]}"
    versions = f"{python}-numba{numba.__version__}-llvmlite{llvmlite.__version__}-numpy{np.__version__}"
    return Path(root) / "kernels" / versions


@functools.cache
def _text_hash(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


class InstalledLocator(_CacheLocator):
    """Finds what was compiled from a function of an installed package, wherever that is installed.

    Its name has the hash of the file, so that several versions of privcheck may share the folder. What a function calls
    in other files is compared by the cache itself.
    """

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file = file
        self._line = function.__code__.co_firstlineno
        self._stamp = hashlib.sha256(f"{function.__module__} {_text_hash(file)}".encode()).hexdigest()

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        """Return what changes with the source."""
        return self._stamp

    def get_disambiguator(self) -> str:
        """Return what tells functions of one name apart, in the name of the file."""
        return f"{self._line}-{self._stamp[:16]}"

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> InstalledLocator | None:
        """Return a locator; None for a function that is not installed, or where nothing can be kept."""
        if not is_installed(Path(file)):
            return None
        try:
            locator = cls(function, file)
            if not cache_folder().is_dir():
                cast("Any", locator).ensure_cache_path()
        except OSError:
            return None
        return locator


class KeptCode(CompileResultCacheImpl):
    """How numba keeps compiled functions, with one more place to keep them."""

    _locator_classes = [InstalledLocator, *CompileResultCacheImpl._locator_classes]  # noqa: RUF012
