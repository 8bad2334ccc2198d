"""What is known of Python's and numpy's own functions and classes: those that keep nothing, those that surely tell."""

from __future__ import annotations

import _thread
import array
import builtins
import collections
import contextvars
import functools
import random
import re
import types
import weakref
from typing import Any

import numpy as np

from privcheck.reached_state._kinds import HARMLESS
from privcheck.reached_state._plain_functions import KNOWN


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BUILTINS = _names(
    """
    abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter float format
    frozenset hash hex int isinstance issubclass iter len list map max memoryview min next object oct ord pow
    property range repr reversed round set slice sorted staticmethod classmethod str sum super tuple type zip
    getattr hasattr __build_class__
    """
)

_NUMPY = _names(
    """
    all allclose amax amin any append arange argmax argmin argsort argwhere around array array_equal asarray
    asanyarray ascontiguousarray atleast_1d atleast_2d average bincount broadcast_to clip column_stack
    concatenate copy copyto corrcoef count_nonzero cov cross cumprod cumsum delete diag diff digitize dot einsum
    empty empty_like expand_dims eye flatnonzero flip full full_like gradient histogram hstack identity inner
    insert interp isclose isin kron linspace logspace matmul max mean median meshgrid min moveaxis nan_to_num
    nanmax nanmean nanmin nansum ndim nonzero ones ones_like outer pad percentile piecewise poly1d polyval prod
    ptp put quantile ravel repeat reshape resize roll round searchsorted select shape sign sinc size sort split
    squeeze stack std sum swapaxes take tensordot tile trace transpose trapezoid tri tril triu unique vander var
    vdot vectorize vstack where zeros zeros_like
    """
)

ALL_OF = _names(
    """
    math cmath operator _operator statistics bisect _bisect numbers decimal _decimal functools _functools
    itertools collections _collections collections.abc _collections_abc dataclasses enum string heapq _heapq
    types typing copy contextvars _contextvars abc _abc array numpy.linalg numpy.fft numpy.polynomial
    scipy.special
    """
)
"""Modules of which every function and class computes from its arguments alone, or keeps what it keeps in objects that
are put back; but for `BUT`."""

BUT = frozenset(
    {
        "operator.attrgetter", "operator.methodcaller", "contextvars.copy_context", "contextvars.Context",
        "types.FunctionType", "decimal.Context",
    }
)  # fmt: skip

_OTHERS = {
    "_random": "Random",
    "_weakref": "_remove_dead_weakref",
    "contextlib": (
        "AbstractContextManager contextmanager suppress nullcontext closing ContextDecorator _GeneratorContextManager"
    ),
    "weakref": "WeakKeyDictionary WeakValueDictionary WeakSet",
    "re": "Pattern Match",
    "reprlib": "recursive_repr",
}

_PURE: list[Any] = [getattr(builtins, name) for name in _BUILTINS]
_PURE += [getattr(np, name) for name in _NUMPY if hasattr(np, name)]
_PURE += [value for value in vars(np).values() if isinstance(value, np.ufunc)]
_PURE += [np.ndarray, np.linalg, np.errstate]
_PURE += [value for value in vars(np).values() if isinstance(value, type) and issubclass(value, np.generic)]
PURE = KNOWN | {id(value): value for value in _PURE}
"""Functions and classes that keep nothing, by their number."""

COINS = frozenset({"random", "numpy.random", "numpy.random.mtrand"})
"""Modules of generators, which draw coins of their own in a function of one number."""

IMPURE_BUILTINS = frozenset({"print", "open", "input", "breakpoint", "exit", "quit", "help"})

IMPURE = _names(
    """
    warnings _warnings sys threading _thread concurrent multiprocessing asyncio _asyncio inspect traceback gc
    socket _socket ssl subprocess _posixsubprocess signal _signal atexit io _io faulthandler ctypes _ctypes mmap
    selectors select tracemalloc pdb sched shelve dbm sqlite3 _sqlite3 contextlib.redirect_stdout
    contextlib.redirect_stderr locale.setlocale _locale.setlocale _codecs.register _codecs.register_error
    _csv.register_dialect _csv.unregister_dialect _csv.field_size_limit mimetypes.add_type
    calendar.setfirstweekday
    """
)
"""Modules that show, keep or pass on what they are given, or look at frames and at memory."""

INSIDE = frozenset({"warnings", "_warnings", "inspect", "traceback"})
"""Those of them that do nothing outside of the process, and nothing later."""

_BEYOND = _names("f_back f_locals f_globals f_builtins f_trace __subclasses__")
BEYOND = frozenset(f"the attribute {name}" for name in _BEYOND)
"""Attributes by which code reaches what is not put back: the variables of its callers, and classes that it made."""

IMPURE_OF_OS = _names(
    """
    write writev pwrite open system fork popen kill _exit abort pipe dup dup2 sendfile putenv unsetenv chdir
    umask remove unlink rename replace mkdir rmdir symlink link truncate utime chmod nice setpriority
    sched_setaffinity sched_setscheduler
    """
)

FRAMES = _names(
    """
    gi_frame gi_yieldfrom cr_frame cr_await cr_origin ag_frame ag_await tb_frame tb_next tb_lineno f_back
    f_locals f_globals f_builtins f_code f_trace __traceback__ with_traceback
    """
)
"""Attributes through which code reaches the variables of what calls it."""

WRITING = frozenset({"tofile", "dump"})
"""Methods of arrays that write files."""

OF_LOCKS = _names("acquire release locked acquire_lock release_lock locked_lock __enter__ __exit__")
"""Attributes by which code may leave a lock as it did not find it; a block `with` a lock gives it back."""

REGISTERING = frozenset({"register"})
"""Methods by which a class of others, or a function, learns of an own one."""

DUNDERS = _names(
    """
    __dict__ __name__ __qualname__ __module__ __doc__ __class__ __init__ __new__ __call__ __len__
    __length_hint__ __getitem__ __setitem__ __delitem__ __contains__ __iter__ __next__ __reversed__ __missing__
    __getattr__ __setattr__ __delattr__ __get__ __set__ __set_name__ __init_subclass__ __post_init__ __enter__
    __exit__ __hash__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __bool__ __int__ __float__ __index__ __complex__
    __round__ __floor__ __ceil__ __trunc__ __str__ __repr__ __format__ __bytes__ __neg__ __pos__ __abs__
    __invert__ __wrapped__ __func__ __slots__ __annotations__ __copy__ __deepcopy__ __match_args__ __debug__
    __file__ __classcell__ __static_attributes__ __firstlineno__ __type_params__ __classdictcell__
    __conditional_annotations__ __annotate__ __annotate_func__
    """
) | {
    f"__{prefix}{name}__"
    for prefix in ("", "r", "i")
    for name in _names("add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or")
}
"""Names with two underscores by which no code gets further than to what is looked through anyway."""

_KINDS: tuple[Any, ...] = (
    np.ndarray, np.generic, np.dtype, np.random.Generator, np.random.BitGenerator, np.random.RandomState,
    np.random.SeedSequence, np.vectorize, random.Random, re.Pattern, re.Match, contextvars.ContextVar, array.array,
    property, functools.partial, functools.cached_property, functools.singledispatchmethod, weakref.WeakKeyDictionary,
    weakref.WeakValueDictionary, weakref.WeakSet, weakref.ref, _thread.LockType, _thread.RLock, _thread._local,
    types.SimpleNamespace, types.MappingProxyType, collections.deque, BaseException,
)  # fmt: skip


def is_known_kind(kind: type) -> bool:
    """Tell whether the methods of a class of others change nothing but the object, and tell nobody."""
    if f"{kind.__module__}.{kind.__qualname__}" in BUT:
        return False
    return issubclass(kind, _KINDS) or kind.__module__ in HARMLESS or kind.__module__ in ("builtins", *ALL_OF)


def is_known(module: str, name: str) -> bool:
    """Tell whether a function or class of a module of others computes from its arguments alone."""
    if module.partition(".")[0] == "privcheck":
        return True
    if f"{module}.{name.partition('.')[0]}" in BUT:
        return False
    return module in ALL_OF or name.partition(".")[0] in _OTHERS.get(module, "").split()


def is_impure(module: str, name: str) -> bool:
    """Tell whether a function or class of a module of others surely keeps or tells something."""
    if module == "builtins":
        return name in IMPURE_BUILTINS
    if module in ("os", "posix", "nt"):
        return name in IMPURE_OF_OS
    return module.partition(".")[0] in IMPURE or f"{module}.{name}" in IMPURE


def acts_outside(name: str) -> bool:
    """Tell whether what surely keeps or tells something does so outside of the process, or at another time.

    >>> [name for name in ("sys.settrace", "sys.modules", "open", "the attribute f_back") if acts_outside(name)]
    ['sys.settrace', 'open', 'the attribute f_back']
    """
    if name in BEYOND:
        return True
    module, _, rest = name.partition(".")
    if module == "sys":
        return rest.startswith(("set", "add", "std", "__std", "excepthook", "unraisablehook", "exit"))
    if not rest:
        return name in IMPURE_BUILTINS
    return module.isidentifier() and module not in INSIDE
