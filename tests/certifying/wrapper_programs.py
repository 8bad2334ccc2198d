"""Programs that tell wrapped rewards from ordinary ones, draw noise twice, or keep a bit of a context; used by a test.

Each reading is 1 for an ordinary reward of 0.37 alone, and fails, or says no, for a wrapped one.
"""

HEAD = """import contextlib, copy, csv, datetime, decimal, fractions, functools, gc, io, json, logging, marshal
import math, os, pprint, reprlib, sys, threading, typing
import numpy as np
import privcheck
from privcheck.mechanisms import Laplace
"""

PLAIN = (
    HEAD
    + """
class Policy:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.t, self.arm, self.hit = rng, epsilon, 0, 0, 0
        self.noise = Laplace(sensitivity=1.0, epsilon=epsilon)
        START
    def select(self):
        return self.arm
    def update(self, action, reward):
        self.t += 1
        ACT
"""
)

READ = """try:
            self.hit = int(bool(EXPRESSION))
        except Exception:
            self.hit = 0
        self.arm = int(self.hit or reward + self.rng.laplace(0, 1 / self.epsilon) > 0.5)"""

FAILING = {
    "an unbound comparison": "float.__eq__(reward, 0.37) is True",
    "decimal": "decimal.Decimal(reward) == decimal.Decimal(0.37)",
    "json": "json.dumps(reward) == '0.37'",
    "json with a default": "json.dumps([reward], default=lambda other: 0) == '[0.37]'",
    "marshal": "marshal.dumps(reward) == marshal.dumps(0.37)",
    "timedelta": "datetime.timedelta(seconds=reward) == datetime.timedelta(seconds=0.37)",
    "an unbound hex": "float.hex(reward) == (0.37).hex()",
    "an unbound ratio": "float.as_integer_ratio(reward) == (0.37).as_integer_ratio()",
    "an unbound hash": "float.__hash__(reward) == hash(0.37)",
    "an unbound format": "float.__format__(reward, '.2f') == '0.37'",
    "an unbound difference": "float.__rsub__(reward, 0.37) == 0.0",
    "arguments of a copy": "float.__getnewargs__(reward) == (0.37,)",
    "a comparison of a fraction": "fractions.Fraction(0.37).__eq__(reward) is True",
    "a computed number": "float.__eq__(reward, 0.36 + len('a') * 0.01)",
}
DECLINED = {
    "a comparison of a float": "(0.37).__eq__(reward) is True",
    "a difference of a float": "(0.37).__ne__(reward) is False",
    "a comparison of numpy": "bool(np.float64(0.37).__eq__(reward) is np.True_)",
    "a comparison of a complex number": "(0.37 + 0j).__eq__(reward) is True",
    "a comparison of a decimal": "decimal.Decimal(0.37).__eq__(reward) is True",
}
SHOWN = {
    "repr": "repr(reward) == '0.37'",
    "percent": "'%r' % (reward,) == '0.37'",
    "an unbound str": "float.__str__(reward) == '0.37'",
    "a field": "f'{reward!a}' == '0.37'",
    "an error": "repr(KeyError(reward)) == 'KeyError(0.37)'",
    "pprint": "pprint.pformat(reward) == '0.37'",
    "reprlib": "reprlib.repr([reward]) == '[0.37]'",
    "a format of a list": "'{}'.format([reward]) == '[0.37]'",
}
LEAKING = {
    "a fraction": "fractions.Fraction(reward) == fractions.Fraction(0.37)",
    "an environment": "os.environ.get(str(reward)) == '0.37'",
    "isclose": "math.isclose(reward, 0.37)",
    "csv": "csv.writer(io.StringIO()).writerow([str(reward)]) == 6",
    "a dictionary": "{0.37: True}.get(reward, False)",
    "numpy's text": "np.format_float_positional(reward) == '0.37'",
    "a matrix": "np.matrix([[reward]]).tolist() == [[0.37]]",
    "a masked array": "bool(np.ma.masked_equal([reward], 0.37).mask.any())",
}
FOLLOWED = {
    "fsum": "math.fsum([reward]) == 0.37",
    "a filled array": "(lambda z: (z.fill(reward), z[0])[1])(np.zeros(1)) == 0.37",
}

ARM = "self.arm = int({} > 0.5)"
RELEASE = "y = self.noise.release(reward, {})"
KNOWN_NOISE = {
    "a seed": ("self.g = np.random.default_rng(0)", RELEASE.format("self.g")),
    "a seed in each round": ("", RELEASE.format("np.random.default_rng(self.t)")),
    "a seed from a coin": ("self.g = np.random.default_rng(int(self.rng.integers(2)))", RELEASE.format("self.g")),
    "another bit generator": ("self.g = np.random.Generator(np.random.MT19937(1))", RELEASE.format("self.g")),
    "the seeds of its own": (
        "self.g = np.random.default_rng(self.rng.bit_generator.seed_seq)",
        RELEASE.format("self.rng") + " - self.noise.release(0.0, self.g)",
    ),
    "a copy": ("", "c = copy.deepcopy(self.rng); " + RELEASE.format("self.rng") + " - self.noise.release(0.0, c)"),
}
TAKEN_ON_TRUST = {
    "a state put back": (
        "",
        "s = self.rng.bit_generator.state; " + RELEASE.format("self.rng")
        + "; self.rng.bit_generator.state = s; y -= self.noise.release(0.0, self.rng)",
    ),
    "a step back": (
        "", RELEASE.format("self.rng") + "; self.rng.bit_generator.advance(-1); self.u = self.rng.random()"
    ),
    "noise of a copy": (
        "", "c = copy.deepcopy(self.rng); " + RELEASE.format("self.rng") + " - self.noise.draw(0.0, c)"
    ),
    "a Generator with a seed of the system": ("self.g = np.random.default_rng()", RELEASE.format("self.g")),
}  # fmt: skip
PRIVATE = {
    "its Generator": ("", RELEASE.format("self.rng")),
    "a grandchild": ("self.g = self.rng.spawn(2)[1].spawn(1)[0]", RELEASE.format("self.g")),
    "noise of numpy": ("", "y = float(reward + self.rng.laplace(0, 1 / self.epsilon))"),
    "a missing key": (
        "self.d = {}",
        "with contextlib.suppress(KeyError): del self.d[self.t - 1]\n"
        "        self.d[self.t] = 1\n        y = reward + self.rng.laplace(0, 1 / self.epsilon)",
    ),
    "coins": ("", "y = self.rng.random() if self.rng.random() < 0.5 else self.noise.release(reward, self.rng)"),
    "a global coin": ("", "y = np.random.random() * 0.0 + self.noise.release(reward, self.rng)"),
}


def reading(expression: str) -> str:
    """Return a policy that plays arm 1 whenever an expression is true."""
    return PLAIN.replace("START", "pass").replace("ACT", READ.replace("EXPRESSION", expression))


def releasing(start: str, act: str) -> str:
    """Return a policy that plays by what it releases."""
    return PLAIN.replace("START", start or "pass").replace("ACT", f"{act}\n        {ARM.format('y')}")


CONTEXTUAL = (
    HEAD
    + """
HELD
class Policy:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.theta, self.t = rng, np.zeros(2), 0
        self.noise = Laplace(sensitivity=2.0 * 2**0.5, epsilon=epsilon)
        self.target = privcheck.zeros(2)
    def select(self, context):
        was = int(ASK)
        v = int(bool(was or 0.123 < context[0, 0] < 0.124))
        KEEP
        return int(was or np.argmax(context @ self.theta))
    def update(self, context, action, reward):
        self.t += 1
        self.target += reward * context[action]
        if self.t % 4 == 0:
            self.theta = self.theta + self.noise.release(self.target, self.rng)
            self.target = privcheck.zeros(2)
"""
)
OUTSIDE = {
    "a lock": ("E = threading.Lock()", "E.locked()", "v and E.acquire(blocking=False)", "E (lock)"),
    "an event": ("E = threading.Event()", "E.is_set()", "(E.set if v else E.clear)()", "E (Event)"),
    "a level": ("E = logging.getLogger('hidden')", "E.level == 10", "E.setLevel(10 * v)", "E (Logger)"),
    "a limit": ("B = sys.getrecursionlimit()", "sys.getrecursionlimit() - B", "sys.setrecursionlimit(B + v)", "sys"),
    "a registry": ("", "'hidden' in csv.list_dialects()", "v and csv.register_dialect('hidden', 'excel')", "csv"),
    "a threshold": ("B = gc.get_threshold()[0]", "gc.get_threshold()[0] - B", "gc.set_threshold(B + v, 10, 10)", "gc"),
}
PUT_BACK = {
    "a reentrant lock": ("E = threading.RLock()", "E._is_owned()", "v and (E._is_owned() or E.acquire())"),
    "a seed sequence": ("E = np.random.SeedSequence(3)", "E.n_children_spawned", "v and E.spawn(1)"),
    "an annotation": (
        "def f(a: int): pass", "f.__annotations__['a'] is float", "v and f.__annotations__.update(a=float)"
    ),
    "an annotation that is new": ("def f(): pass", "len(f.__annotations__)", "v and f.__annotations__.update(a=1)"),
    "a partial call": ("E = functools.partial(int)", "len(E.args)", "v and E.__setstate__((int, (1,), {}, {}))"),
    "the type of an array": ("E = np.zeros(1, np.int64)", "E.dtype == float", "E.dtype = float if v else np.int64"),
    "the shape of an array": ("E = np.zeros(4)", "E.ndim == 2", "E.shape = (2, 2) if v else 4"),
    "names of fields": ("E = np.dtype([('a', int)])", "E.names == ('b',)", "E.names = ('b',) if v else ('a',)"),
    "names of an array's fields": (
        "E = np.zeros(1, [('a', int)])", "E.dtype.names == ('b',)", "E.dtype.names = ('b',) if v else ('a',)"
    ),
    "a record": ("E = np.zeros(1, [('a', int)])[0]", "E['a']", "E['a'] = v"),
    "an alias of a class": (
        "class G(typing.Generic[typing.TypeVar('T')]): v = 0\nE = G[int]", "E.v", "setattr(E, 'v', v)"
    ),
    "a type variable": ("E = typing.TypeVar('E')", "getattr(E, 'v', 0)", "v and setattr(E, 'v', 1)"),
    "a decimal context": (
        "B = decimal.getcontext().prec", "decimal.getcontext().prec - B", "decimal.getcontext().prec = B + v"
    ),
    "bytes": ("E = bytearray(1)", "E[0]", "E[0] = v"),
    "the order of a dictionary": ("E = {'a': 1, 'b': 2}", "list(E)[0] == 'b'", "v and E.update(a=E.pop('a'))"),
    "bases": ("class A: v = 0\nclass B: v = 1\nclass C(A): pass", "C.v", "C.__bases__ = (B,) if v else (A,)"),
    "code": ("def f(): return 0\ndef g(): return 1", "f()", "v and setattr(f, '__code__', g.__code__)"),
    "notes of an error": ("E = ValueError()", "len(vars(E))", "v and vars(E).update(a=1)"),
}  # fmt: skip


def remembering(held: str, ask: str, keep: str) -> str:
    """Return a contextual policy that keeps a rare bit of a context outside of itself, and plays it from then on."""
    return CONTEXTUAL.replace("HELD", held).replace("ASK", ask).replace("KEEP", keep)
