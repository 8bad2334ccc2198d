"""A store never returns what another policy has played: ways in which a policy changes while its text stays the same.

Most of them change the key of its chunks. What no key can see is found when one kept chunk of each stream is played
again, provided that it shows there.
"""

from __future__ import annotations

import decimal
import importlib
import logging
import math
import sys
from contextlib import contextmanager

import numpy as np
import pytest

import privcheck
from privcheck.scheduling import _chunk_store as chunk_store
from privcheck.scheduling import _kept_calls as kept_calls
from privcheck.scheduling import digest, executor
from privcheck.targets import PolicyRunner, Request, Sampler, StreamPair, played_by

pytest.importorskip("pyarrow", reason="the extra store is not installed")

KEY, REPLAY = "key", "replay"

TEXT = """
import builtins, contextvars, dataclasses, functools, importlib, math, os, sys, threading, types
from pathlib import Path
import numpy as np

{before}


class Policy({bases}):
    {inside}

    def __init__(self, rng, **others):
        self.rng, self.last, self.others = rng, 0.0, others

    def select(self):
        return int(self.last + self.rng.laplace(0.0, {scale}) > 0.5)

    def update(self, action, reward):
        self.last = reward


{after}
"""

OF_A_FUNCTION = "def scale_of(k=1.0, *, times=1.0):\n    return 0.4 * k * times"
WITH_SCALE = "def build(rng, scale=0.4):\n    policy = Policy(rng)\n    policy.scale = scale\n    return policy"
FACTORY = (
    "class Factory{bases}:\n{slots}    def __call__(self, rng):\n        policy = Policy(rng)\n"
    "        policy.scale = self.scale\n        return policy\n\n\nbuild = Factory()\n"
)
SET = "build.scale = 0.4\n"

# name, what sees it, the scale of the noise, what changes, and the text around it
WAYS = [
    ("a global number", KEY, "SCALE", "m.SCALE = 9.0", {"before": "SCALE = 0.4"}),
    ("a global of a function", KEY, "f()", "m.SCALE = 9.0", {"before": "SCALE = 0.4\ndef f():\n    return SCALE"}),
    ("a global of a function that it calls", KEY, "f()", "m.SCALE = 9.0",
     {"before": "SCALE = 0.4\ndef g():\n    return SCALE\ndef f():\n    return g()"}),
    ("a global of functions that call each other", KEY, "f(1)", "m.SCALE = 9.0",
     {"before": "SCALE = 0.4\ndef g(n):\n    return f(n - 1)\ndef f(n):\n    return g(n) if n else SCALE"}),
    ("a global in a nested function", KEY, "(lambda: [SCALE for _ in 'a'][0])()", "m.SCALE = 9.0",
     {"before": "SCALE = 0.4"}),
    ("a global lambda", KEY, "F()", "m.F = lambda: 9.0", {"before": "F = lambda: 0.4"}),
    ("a global of a lambda factory", KEY, "self.scale", "m.SCALE = 9.0",
     {"before": "SCALE = 0.4", "after": "def build(rng):\n    p = Policy(rng)\n    p.scale = SCALE\n    return p"}),
    ("a global list", KEY, "HELD[0]", "m.HELD[0] = 9.0", {"before": "HELD = [0.4]"}),
    ("a global dict", KEY, "HELD['a']", "m.HELD['a'] = 9.0", {"before": "HELD = {'a': 0.4}"}),
    ("the order of a global dict", KEY, "next(iter(HELD.values()))", "m.HELD = {'b': 9.0, 'a': 0.4}",
     {"before": "HELD = {'a': 0.4, 'b': 9.0}"}),
    ("a global set", KEY, "max(HELD)", "m.HELD.add(9.0)", {"before": "HELD = {0.4}"}),
    ("a global array", KEY, "HELD[0]", "m.HELD[:] = 9.0", {"before": "HELD = np.array([0.4])"}),
    ("a global object", KEY, "HELD.scale", "m.HELD.scale = 9.0",
     {"before": "class Held:\n    scale = 0.4\nHELD = Held()"}),
    ("a global object of a library", KEY, "HELD.scale", "m.HELD.scale = 9.0",
     {"before": "HELD = types.SimpleNamespace(scale=0.4)"}),
    ("a deleted entry", KEY, "HELD.get('a', 9.0)", "del m.HELD['a']", {"before": "HELD = {'a': 0.4}"}),
    ("a name of another own module", KEY, "beside.SCALE", "m.beside.SCALE = 9.0", {"before": "import beside"}),
    ("the same, imported by the method", KEY, "self.scale()", "m.other.SCALE = 9.0",
     {"before": "import beside as other",
      "inside": "def scale(self):\n        import beside\n        return beside.SCALE"}),
    ("a function of another own module", KEY, "beside.scale()", "m.beside.scale = lambda: 9.0",
     {"before": "import beside"}),
    ("an attribute of the class", KEY, "self.scale", "m.Policy.scale = 9.0", {"inside": "scale = 0.4"}),
    ("an attribute of its base", KEY, "self.scale", "m.Base.scale = 9.0",
     {"before": "class Base:\n    scale = 0.4", "bases": "Base"}),
    ("another base", KEY, "self.scale", "m.Policy.__bases__ = (m.Other,)",
     {"before": "class Base:\n    scale = 0.4\nclass Other:\n    scale = 9.0", "bases": "Base"}),
    ("an attribute of the metaclass", KEY, "type(self).scale", "m.Meta.scale = 9.0",
     {"before": "class Meta(type):\n    scale = 0.4", "bases": "metaclass=Meta"}),
    ("a method", KEY, "self.scale()", "m.Policy.scale = lambda self: 9.0",
     {"inside": "def scale(self):\n        return 0.4"}),
    ("a method of its base", KEY, "self.scale()", "m.Base.scale = lambda self: 9.0",
     {"before": "class Base:\n    def scale(self):\n        return 0.4", "bases": "Base"}),
    ("a property", KEY, "self.scale", "m.Policy.scale = property(lambda self: 9.0)",
     {"inside": "scale = property(lambda self: 0.4)"}),
    ("a cached property", KEY, "self.scale",
     "p = m.functools.cached_property(lambda self: 9.0); p.__set_name__(m.Policy, 'scale'); m.Policy.scale = p",
     {"inside": "@functools.cached_property\n    def scale(self):\n        return 0.4"}),
    ("a static method", KEY, "self.scale()", "m.Policy.scale = staticmethod(lambda: 9.0)",
     {"inside": "scale = staticmethod(lambda: 0.4)"}),
    ("a class method", KEY, "self.scale()", "m.Policy.scale = classmethod(lambda cls: 9.0)",
     {"inside": "scale = classmethod(lambda cls: 0.4)"}),
    ("a class in the class", KEY, "self.Held.scale", "m.Policy.Held.scale = 9.0",
     {"inside": "class Held:\n        scale = 0.4"}),
    ("a default", KEY, "scale_of()", "m.scale_of.__defaults__ = (22.5,)", {"before": OF_A_FUNCTION}),
    ("a default of a keyword", KEY, "scale_of()", "m.scale_of.__kwdefaults__ = {'times': 22.5}",
     {"before": OF_A_FUNCTION}),
    ("the instructions of a function", KEY, "scale_of()", "m.scale_of.__code__ = (lambda k, *, times: 9.0).__code__",
     {"before": OF_A_FUNCTION}),
    ("an attribute of a function", KEY, "scale_of.of", "m.scale_of.of = 9.0",
     {"before": f"{OF_A_FUNCTION}\nscale_of.of = 0.4"}),
    ("a wrapped function", KEY, "f()", "m.SCALE = 9.0",
     {"before": "SCALE = 0.4\ndef twice(of):\n    @functools.wraps(of)\n    def wrapped():\n        return of()\n"
      "    return wrapped\n@twice\ndef f():\n    return SCALE"}),
    ("a cached function", KEY, "f()", "m.SCALE = 9.0; m.f.cache_clear()",
     {"before": "SCALE = 0.4\n@functools.lru_cache\ndef f():\n    return SCALE"}),
    ("a function for a type", KEY, "f(1)", "m.f.register(int, lambda _: 9.0)",
     {"before": "@functools.singledispatch\ndef f(_):\n    return 0.4"}),
    ("what a function closes over", KEY, "self.scale", "m.build.__closure__[0].cell_contents = 9.0",
     {"after": "def made(scale):\n    def build(rng):\n        p = Policy(rng)\n        p.scale = scale\n"
      "        return p\n    return build\nbuild = made(0.4)"}),
    ("a keyword of a partial", KEY, "self.scale", "m.build = m.functools.partial(m.of, scale=9.0)",
     {"after": f"{WITH_SCALE.replace('build', 'of')}\nbuild = functools.partial(of, scale=0.4)"}),
    ("an attribute of a factory", KEY, "self.scale", "m.build.scale = 9.0",
     {"after": FACTORY.format(bases="", slots="") + SET}),
    ("a slot", KEY, "self.scale", "m.build.scale = 9.0",
     {"after": FACTORY.format(bases="", slots="    __slots__ = ('scale',)\n") + SET}),
    ("a slot of a base", KEY, "self.scale", "m.build.scale = 9.0",
     {"before": "class Base:\n    __slots__ = ('scale',)",
      "after": FACTORY.format(bases="(Base)", slots="    __slots__ = ()\n") + SET}),
    ("a field that is no argument", KEY, "self.scale", "m.build.scale = 9.0",
     {"after": "@dataclasses.dataclass\n" + FACTORY.format(
         bases="", slots="    scale: float = dataclasses.field(init=False, default=0.4)\n")}),
    ("the default of a field", KEY, "Held().scale", "m.Held.__init__.__defaults__ = (9.0,); m.Held.scale = 9.0",
     {"before": "@dataclasses.dataclass\nclass Held:\n    scale: float = 0.4"}),
    ("an attribute of a library's module", KEY, "math.own_scale", "m.math.own_scale = 9.0",
     {"before": "math.own_scale = 0.4"}),
    ("an attribute of a library's class", KEY, "Path.own_scale", "m.Path.own_scale = 9.0",
     {"before": "Path.own_scale = 0.4"}),
    ("a builtin", KEY, "own_scale", "m.builtins.own_scale = 9.0", {"before": "builtins.own_scale = 0.4"}),
    ("a value of the thread", KEY, "HELD.scale", "m.HELD.scale = 9.0",
     {"before": "HELD = threading.local()\nHELD.scale = 0.4"}),
    ("a context variable", KEY, "HELD.get()", "m.HELD.set(9.0)",
     {"before": "HELD = contextvars.ContextVar('held')\nHELD.set(0.4)"}),
    ("a function put into a library's module", KEY, "math.sqrt(0.16)", "m.own(m.math, 'sqrt')",
     {"after": "def own(of, name):\n    setattr(of, name, lambda _: 9.0)"}),
    ("an attribute of a dict", KEY, "HELD.scale", "m.HELD.scale = 9.0",
     {"before": "class Held(dict):\n    scale = 0.4\nHELD = Held()"}),
    ("an attribute of a number", KEY, "HELD.scale", "m.HELD.scale = 9.0",
     {"before": "class Held(float):\n    scale = 0.4\nHELD = Held(1.0)"}),
    ("a method of a number", KEY, "HELD.scale()", "m.Held.scale = lambda self: 9.0",
     {"before": "class Held(float):\n    def scale(self):\n        return 0.4\nHELD = Held(1.0)"}),
    ("what a dict has for new keys", KEY, "HELD.copy()['a']", "m.HELD.default_factory = lambda: 9.0",
     {"before": "import collections\nHELD = collections.defaultdict(lambda: 0.4)"}),
    ("the mask of an array", KEY, "9.0 if HELD.mask[1] else 0.4", "m.HELD[1] = np.ma.masked",
     {"before": "HELD = np.ma.array([1.0, 2.0], mask=[0, 0])"}),
    ("what a weak reference points to", KEY, "HELD().scale", "m.KEPT.scale = 9.0",
     {"before": "import weakref\nclass Held:\n    scale = 0.4\nKEPT = Held()\nHELD = weakref.ref(KEPT)"}),
    ("a value under a weak key", KEY, "list(HELD.values())[0]", "m.HELD[m.Policy] = 9.0",
     {"after": "import weakref\nHELD = weakref.WeakKeyDictionary({Policy: 0.4})"}),
    ("a method for a type", KEY, "Held().f(1)",
     "vars(m.Held)['f'].dispatcher.register(int, lambda self, _: 9.0)",
     {"before": "class Held:\n    @functools.singledispatchmethod\n    def f(self, _):\n        return 0.4"}),
    ("a global of a function made from a text", KEY, "f()", "m.SPACE['scale'] = 9.0",
     {"before": "SPACE = {'scale': 0.4}\nexec('def f(): return scale', SPACE)\nf = SPACE['f']"}),
    ("what a module makes up", KEY, "beside.made", "m.beside.HELD['made'] = 9.0",
     {"before": "import beside\nbeside.HELD = {'made': 0.4}\n"
      "def made(name):\n    return HELD[name]\nHELD = beside.HELD\nbeside.__getattr__ = made"}),
    ("a vectorised function", KEY, "float(HELD(0))", "m.SCALE[0] = 9.0",
     {"before": "SCALE = [0.4]\nHELD = np.vectorize(lambda _: SCALE[0])"}),
    ("bytes behind a view", KEY, "HELD[0] / 10", "m.BYTES[0] = 90",
     {"before": "BYTES = bytearray([4])\nHELD = memoryview(BYTES)"}),
    ("a global of a function that an object of a library holds", KEY, "HELD.f()", "m.SCALE = 9.0",
     {"before": "SCALE = 0.4\ndef f():\n    return SCALE\nHELD = types.SimpleNamespace(f=f)"}),
    ("a lambda that an object of a library holds", KEY, "HELD.f()", "m.HELD.f = lambda: 9.0",
     {"before": "HELD = types.SimpleNamespace(f=lambda: 0.4)"}),
    ("an attribute of a class that an object of a library holds", KEY, "HELD['a'].scale", "m.Held.scale = 9.0",
     {"before": "import collections\nclass Held:\n    scale = 0.4\nHELD = collections.ChainMap({'a': Held()})"}),
    ("a number of a module in a dict", KEY, "HELD['a'].SCALE", "m.beside.SCALE = 9.0",
     {"before": "import beside\nHELD = {'a': beside}"}),
    ("a number of a module that is an attribute of the class", KEY, "self.held.SCALE", "m.beside.SCALE = 9.0",
     {"before": "import beside", "inside": "held = beside"}),
    ("a function of a module that is a default", KEY, "f()", "m.beside.scale = lambda: 9.0",
     {"before": "import beside\ndef f(held=beside):\n    return held.scale()"}),
    ("a number of a module that an object of a library holds", KEY, "HELD.held.SCALE", "m.beside.SCALE = 9.0",
     {"before": "import beside\nHELD = types.SimpleNamespace(held=beside)"}),
    ("a partial put into a library's module", KEY, "math.sqrt(0.16)", "m.math.sqrt = m.functools.partial(m.own, 9.0)",
     {"before": "def own(scale, _):\n    return scale"}),
    ("an own object put into a library's module", KEY, "math.sqrt(0.16)", "m.math.sqrt = m.Own()",
     {"before": "class Own:\n    def __call__(self, _):\n        return 9.0"}),
    ("a method of an own object put into a library's module", KEY, "math.sqrt(0.16)", "m.math.sqrt = m.Own().f",
     {"before": "class Own:\n    def f(self, _):\n        return 9.0"}),
    ("the metadata of a field", KEY, "dataclasses.fields(Held)[0].metadata['scale']", "m.META['scale'] = 9.0",
     {"before": "META = {'scale': 0.4}\n@dataclasses.dataclass\nclass Held:\n"
      "    a: float = dataclasses.field(default=0.0, metadata=META)"}),
    ("a global of a function in a frozen dict", KEY, "HELD['a']()", "m.SCALE = 9.0",
     {"before": "SCALE = 0.4\nHELD = types.MappingProxyType({'a': lambda: SCALE})"}),
    ("a function behind a user's dict", KEY, "HELD['a']()", "m.HELD['a'] = lambda: 9.0",
     {"before": "import collections\nHELD = collections.UserDict(a=lambda: 0.4)"}),
    ("a deque of functions", KEY, "HELD[0]()", "m.HELD[0] = lambda: 9.0",
     {"before": "import collections\nHELD = collections.deque([lambda: 0.4])"}),
    ("a member of an own enumeration in an object of a library", KEY, "HELD.a.f()", "m.SCALE = 9.0",
     {"before": "import enum\nSCALE = 0.4\nclass Kind(enum.Enum):\n    A = 1\n    def f(self):\n        return SCALE\n"
      "HELD = types.SimpleNamespace(a=Kind.A)"}),
    ("an array of functions", KEY, "HELD[0]()", "m.SCALE = 9.0",
     {"before": "SCALE = 0.4\nHELD = np.array([lambda: SCALE], object)"}),
    ("a number of a package's module, by way of the package", KEY, "HELD[0].SCALE", "m.beside.SCALE = 9.0",
     {"before": "import beside\nHELD = (beside,)"}),
    ("the policy's own module as a value", KEY, "HELD[0].SCALE", "m.SCALE = 9.0",
     {"before": "SCALE = 0.4\nHELD = [sys.modules[__name__]]"}),
    ("a frozen distribution's own class", KEY, "HELD.mean()", "m.SCALE = 9.0",
     {"before": "from scipy import stats\nSCALE = 0.4\nclass Own(stats.rv_continuous):\n"
      "    def _stats(self):\n        return SCALE, 1.0, 0.0, 0.0\nHELD = Own()()"}),
    ("an object in the place of a library's class", KEY, "float(types.SimpleNamespace(a=0.4).a)",
     "m.math.own_scale = 0; m.types = m.Own()",
     {"before": "class Own:\n    def SimpleNamespace(self, a):\n        return self\n    a = 9.0"}),
    ("a weak reference to a list's owner", KEY, "HELD.f.__func__.scale", "m.Held.f.scale = 9.0",
     {"before": "class Held:\n    def f(self):\n        pass\nHeld.f.scale = 0.4\nHELD = Held()"}),
    # What no key sees
    ("a list put into a library's module", REPLAY, "math.own_scale[0]", "m.math.own_scale[0] = 9.0",
     {"before": "math.own_scale = [0.4]"}),
    ("a number put into a library's module in a dict", REPLAY, "HELD['a'].own_scale", "m.math.own_scale = 9.0",
     {"before": "HELD = {'a': math}\nmath.own_scale = 0.4"}),
    ("the environment", REPLAY, "float(os.environ['OWN_SCALE'])", "m.os.environ['OWN_SCALE'] = '9.0'",
     {"before": "os.environ['OWN_SCALE'] = '0.4'"}),
    ("a file", REPLAY, "float((Path(__file__).parent / 'scale').read_text())",
     "(m.Path(m.__file__).parent / 'scale').write_text('9.0')", {}),
    ("a global by a computed name", REPLAY, "globals()['SC' + 'ALE']", "m.SCALE = 9.0", {"before": "SCALE = 0.4"}),
    ("an attribute by a computed name", REPLAY, "getattr(sys.modules[__name__], 'SC' + 'ALE')", "m.SCALE = 9.0",
     {"before": "SCALE = 0.4"}),
    ("a module by a computed name", REPLAY, "getattr(importlib.import_module('be' + 'side'), 'SC' + 'ALE')",
     "m.importlib.import_module('beside').SCALE = 9.0", {}),
    ("a subclass that comes later", REPLAY, "(Policy.__subclasses__() or [Held])[-1].scale",
     "m.later = type('Later', (m.Policy,), {'scale': 9.0})", {"before": "class Held:\n    scale = 0.4"}),
    ("what a cache holds", REPLAY, "f()", "m.f.cache_clear(); m.SCALE = 9.0; m.f(); m.SCALE = 0.4",
     {"before": "SCALE = 0.4\n@functools.lru_cache\ndef f():\n    return SCALE"}),
    ("the precision of decimals", REPLAY, "9.0 if str(+decimal.Decimal('0.44')) == '0.4' else 0.4",
     "m.decimal.getcontext().prec = 1", {"before": "import decimal"}),
    ("the level of a logger", REPLAY, "9.0 if logging.getLogger('own').level else 0.4",
     "m.logging.getLogger('own').setLevel(10)", {"before": "import logging"}),
    ("a docstring", REPLAY, "float(self.__doc__)", "m.Policy.__doc__ = '9.0'", {"inside": "'0.4'"}),
    ("an annotation", REPLAY, "self.__annotations__['scale']", "m.Policy.__annotations__['scale'] = 9.0",
     {"inside": "scale: 0.4"}),
    ("a generator that is used up", REPLAY, "0.4 if HELD.gi_frame else 9.0", "list(m.HELD)",
     {"before": "HELD = (i for i in 'a')"}),
]  # fmt: skip

RUNS = 400
SQRT = math.sqrt
TABLES = np.zeros((3, 2)), np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
PAIR = StreamPair(*TABLES, (1,), "two streams", "by hand")


@pytest.fixture
def loaded(tmp_path, monkeypatch):
    """Return what writes a module and imports it; what it leaves behind in others is put right."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(chunk_store, "KEPT_FROM", 0.0)
    monkeypatch.setenv("OWN_SCALE", "0.4")
    (tmp_path / "beside.py").write_text("SCALE = 0.4\n\n\ndef scale():\n    return 0.4\n")
    (tmp_path / "scale").write_text("0.4")

    def load(scale, before="", bases="", inside="pass", after=""):
        text = TEXT.format(before=before, bases=bases, inside=inside, after=after, scale=scale)
        (tmp_path / "changing.py").write_text(text)
        return importlib.import_module("changing")

    yield load
    for name in ("changing", "beside"):
        sys.modules.pop(name, None)
    for owner in (math, type(tmp_path).__mro__[1], sys.modules["builtins"]):
        if "own_scale" in vars(owner):
            del owner.own_scale
    math.sqrt, decimal.getcontext().prec = SQRT, 28
    logging.getLogger("own").setLevel(0)


def runner_of(module):
    return PolicyRunner(getattr(module, "build", module.Policy), {"arms": 2}, "bandit")


@contextmanager
def played(module, store=None):
    """Yield the actions of some runs on both streams, and the notes of the store."""
    with executor(1, store=store) as workers:
        sampler = Sampler(runner_of(module), 3, workers, math.inf)
        found = sampler.play([Request(PAIR, side, RUNS, (side,)) for side in (0, 1)], lambda _: None)
        yield [side.symbols.tolist() for side in found], [] if store is None else workers.store.notes


def audited(module, store):
    with played(module, store) as (found, notes):
        return found, list(notes)


def test_there_are_at_least_forty_ways():
    assert len({name for name, *_ in WAYS}) == len(WAYS) >= 40
    assert sum(seen == REPLAY for _, seen, *_ in WAYS) >= 10


@pytest.mark.parametrize(("name", "seen", "scale", "change", "around"), WAYS, ids=[name for name, *_ in WAYS])
def test_a_store_never_has_what_another_policy_played(name, seen, scale, change, around, loaded, tmp_path):
    module, store = loaded(scale, **around), tmp_path / "store"
    before, _ = audited(module, store)
    again, notes = audited(module, store)
    assert (again, notes) == (before, [])
    key = digest(played_by(runner_of(module)))
    exec(change, {"m": module, "np": np})
    with played(module) as (expected, _):
        assert expected != before, "the policy has changed"
    found, notes = audited(module, store)
    assert found == expected
    assert (digest(played_by(runner_of(module))) != key) == (seen == KEY)
    assert notes == ([] if seen == KEY else [chunk_store.SET_ASIDE])
    assert audited(module, store) == (expected, []), "what was played anew is kept"


@pytest.mark.parametrize("name", ["a global number", "the environment"])
def test_the_broken_twin_returns_stale_chunks(name, loaded, tmp_path, monkeypatch):
    """Without globals in keys, and without playing a kept chunk again."""
    _, _, scale, change, around = next(way for way in WAYS if way[0] == name)
    module = loaded(scale, **around)
    monkeypatch.setattr(kept_calls.Kept, "_agrees", lambda *_: True)
    monkeypatch.setattr("privcheck.targets._sampling.played_by", lambda _: "the same")
    before, _ = audited(module, tmp_path / "store")
    exec(change, {"m": module, "np": np})
    assert audited(module, tmp_path / "store") == (before, [])


LOOP = """
import os


def released(data, rng):
    return data.sum() + rng.laplace(0.0, SCALE * float(os.environ.get("OWN_SCALE", "1")))


SCALE = 1.0
"""


def test_a_loop_over_scales_audits_each_of_them(tmp_path, monkeypatch):
    """The report of the leaking one was `consistent`, with a bound of 0. And a note is on the answer."""
    (tmp_path / "looped.py").write_text(LOOP)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(chunk_store, "KEPT_FROM", 0.0)
    module = importlib.import_module("looped")
    options = {"epsilon": 1.0, "runs": 2000, "pairs": 2, "horizon": 2, "error": 1e-6}
    verdicts = []
    for module.SCALE in (20.0, 0.1):
        report = privcheck.audit(lambda data, rng: module.released(data, rng), store=tmp_path / "store", **options)
        verdicts.append(report.verdict)
        assert chunk_store.SET_ASIDE not in report.notes
    assert verdicts == ["inconclusive", "violation"]
    monkeypatch.setenv("OWN_SCALE", "200.0")
    report = privcheck.audit(lambda data, rng: module.released(data, rng), store=tmp_path / "store", **options)
    assert report.verdict == "inconclusive"
    sys.modules.pop("looped")


def test_a_simulation_says_that_it_was_played_anew(tmp_path, monkeypatch):
    (tmp_path / "policy.py").write_text(
        "import os\n\n\nclass Policy:\n    def __init__(self, rng, arms):\n        self.rng = rng\n\n"
        "    def select(self):\n        return int(os.environ['OWN_ARM'])\n\n    def update(self, action, reward):\n"
        "        pass\n"
    )
    monkeypatch.setattr(chunk_store, "KEPT_FROM", 0.0)
    options = {"horizon": 20, "runs": 8, "store": tmp_path / "store"}
    for arm, remarks in (("0", 0), ("0", 0), ("1", 1)):
        monkeypatch.setenv("OWN_ARM", arm)
        found = privcheck.simulate(f"{tmp_path}/policy.py:Policy", [0.9, 0.1], **options)
        assert found.summary()[0]["mean"] == pytest.approx(0.8 * 20 * int(arm))
        assert [remark.kind for remark in found.remarks] == ["played-anew"] * remarks
