"""Contextual policies whose `select` keeps a context outside of the policy, each in another place, to play by it.

`recall(context)` keeps what is told first, or in every round, and returns what was kept: a number whose sign is that of
the first entry of an earlier context. All of them release through a mechanism, too, within the budget.
"""

# ruff: noqa: B006, B010, B039, NPY002, RUF012, UP033  that these keep something is what they are for

import array
import collections
import contextvars
import decimal
import enum
import functools
import itertools
import pathlib
import random
import sys
import threading
import types
import weakref

import numpy as np

import privcheck
from privcheck.mechanisms import Laplace


class Memo:
    """Plays by the sign of what `recall` returns."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.t = rng, epsilon, 0
        self.sums, self.theta = privcheck.zeros(2), np.zeros(2)
        self.prepare()

    def prepare(self):
        pass

    def select(self, context):
        kept = self.recall(float(context[0, 0]))
        return int(kept > 0.0)

    def update(self, context, action, reward):
        self.t += 1
        self.sums += reward * context[action]
        if self.t % 4 == 0:
            noise = Laplace(sensitivity=2.0 * np.sqrt(2.0), epsilon=self.epsilon)
            self.theta = self.theta + noise.release(self.sums, self.rng)
            self.sums = privcheck.zeros(2)


FIRST = {}


class ModuleDictionary(Memo):
    def recall(self, x):
        return FIRST.setdefault("first", x)


LAST = None


class GlobalVariable(Memo):
    def recall(self, x):
        global LAST
        before, LAST = LAST, x
        return x if before is None else before


class GlobalThroughGlobals(Memo):
    def recall(self, x):
        return globals().setdefault("NEVER_NAMED", x)


class ClassAttribute(Memo):
    def recall(self, x):
        if not hasattr(ClassAttribute, "kept"):
            ClassAttribute.kept = x
        return ClassAttribute.kept


class AttributeOfTheType(Memo):
    kept = None

    def recall(self, x):
        if type(self).kept is None:
            setattr(type(self), "kept", x)
        return type(self).kept


class ClassDictionary(Memo):
    seen = {}

    def recall(self, x):
        return self.seen.setdefault(0, x)


class ClassList(Memo):
    seen = []

    def recall(self, x):
        self.seen.append(x)
        return self.seen[max(0, len(self.seen) - 2)]


BOX = types.SimpleNamespace(x=0.0)


@functools.lru_cache(maxsize=None)
def boxed():
    return BOX.x


class Cached(Memo):
    def recall(self, x):
        BOX.x = x
        return boxed()


class CachedMethod(Memo):
    def recall(self, x):
        BOX.x = x
        return self.first("first")

    @staticmethod
    @functools.lru_cache(maxsize=4)
    def first(_):
        return BOX.x


class CachedInATuple(Memo):
    tools = (boxed,)

    def recall(self, x):
        BOX.x = x
        return self.tools[0]()


class FunctionAttribute(Memo):
    def recall(self, x):
        if not hasattr(remember, "x"):
            remember.x = x
        return remember.x


def remember():
    pass


class MethodAttribute(Memo):
    def recall(self, x):
        held = MethodAttribute.recall.__dict__
        return held.setdefault("x", x)


def closed_over():
    kept = None

    def recall(x):
        nonlocal kept
        if kept is None:
            kept = x
        return kept

    return recall


CLOSURE = closed_over()


class Closure(Memo):
    def recall(self, x):
        return CLOSURE(x)


class ClosureOfTheObject(Memo):
    def prepare(self):
        self.closure = closed_over()

    def recall(self, x):
        return self.closure(x)


class DefaultArgument(Memo):
    def recall(self, x, seen=[]):
        seen.append(x)
        return seen[0]


class KeywordDefault(Memo):
    def recall(self, x, *, seen={}):
        return seen.setdefault(0, x)


class ReplacedDefault(Memo):
    def recall(self, x):
        if keeper.__defaults__ == (None,):
            keeper.__defaults__ = (x,)
        return keeper()


def keeper(x=None):
    return x


VARIABLE = contextvars.ContextVar("VARIABLE", default=None)


class ContextVariable(Memo):
    def recall(self, x):
        if VARIABLE.get() is None:
            VARIABLE.set(x)
        return VARIABLE.get()


HELD = contextvars.ContextVar("HELD", default=[])


class InAContextVariable(Memo):
    def recall(self, x):
        HELD.get().append(x)
        return HELD.get()[0]


class Key:
    pass


KEY = Key()
WEAK = weakref.WeakKeyDictionary()


class WeakDictionary(Memo):
    def recall(self, x):
        return WEAK.setdefault(KEY, x)


WEAK_VALUES = weakref.WeakValueDictionary({"key": KEY})


class WeakValue(Memo):
    def recall(self, x):
        kept = WEAK_VALUES["key"]
        if not hasattr(kept, "x"):
            kept.x = x
        return kept.x


class GlobalNumpyGenerator(Memo):
    """One more coin of numpy's global generator for a large context shifts all later ones."""

    def prepare(self):
        np.random.seed(7)

    def recall(self, x):
        if x > 0.0:
            np.random.random()
        return np.random.random() - 0.5


class GlobalPythonGenerator(Memo):
    def prepare(self):
        random.seed(7)

    def recall(self, x):
        if x > 0.0:
            random.random()
        return random.random() - 0.5


MODULE_GENERATOR = np.random.default_rng(7)


class ModuleGenerator(Memo):
    def recall(self, x):
        if x > 0.0:
            MODULE_GENERATOR.random()
        return MODULE_GENERATOR.random() - 0.5


class SeedsInSelect(Memo):
    """Seeds the global generator by the context; the next coin tells it."""

    def recall(self, x):
        coin = np.random.random() - 0.5
        np.random.seed(3 if x > 0.0 else 5)
        return coin


READ_ONLY = np.zeros(2)
VIEW = READ_ONLY[:]
READ_ONLY.flags.writeable = False


class ViewOfReadOnly(Memo):
    def recall(self, x):
        if READ_ONLY[0] == 0.0:
            VIEW[0] = x
        return READ_ONLY[0]


class Buffer(Memo):
    """Writes through a view into the memory of an array of the standard library."""

    numbers = array.array("d", [0.0])
    view = np.frombuffer(numbers)

    def recall(self, x):
        if self.numbers[0] == 0.0:
            self.view[0] = x
        return self.numbers[0]


class ClearedCache(Memo):
    """A draw that `update` makes again only after `select` has cleared it, for large contexts."""

    kept = {}

    def prepare(self):
        self.kept["draw"] = 0.5

    def recall(self, x):
        value = self.kept.get("draw", 0.5)
        if x > 0.0:
            self.kept.clear()
        return value - 0.25

    def update(self, context, action, reward):
        self.kept.setdefault("draw", 0.0)
        super().update(context, action, reward)


QUEUE = collections.deque(maxlen=2)


class Queue(Memo):
    def recall(self, x):
        QUEUE.append(x)
        return QUEUE[0]


ORDER = collections.OrderedDict(a=1.0, b=-1.0)


class Order(Memo):
    """Keeps the sign in the order of two keys."""

    def recall(self, x):
        first = next(iter(ORDER.values()))
        ORDER.move_to_end("a" if x > 0.0 else "b")
        return first


LOCAL = threading.local()


class ThreadLocal(Memo):
    def recall(self, x):
        if not hasattr(LOCAL, "x"):
            LOCAL.x = x
        return LOCAL.x


class Slots:
    __slots__ = ("x",)


SLOTS = Slots()


class SlotOfAGlobal(Memo):
    def recall(self, x):
        if not hasattr(SLOTS, "x"):
            SLOTS.x = x
        return SLOTS.x


REGISTER = []


class Register(Memo):
    """Reaches the policy itself, of which `select` has a copy, through a global."""

    def prepare(self):
        self.x = None
        REGISTER[:] = [self]

    def recall(self, x):
        if REGISTER[0].x is None:
            REGISTER[0].x = x
        return REGISTER[0].x


class NotCopied:
    def __init__(self):
        self.x = None

    def __deepcopy__(self, memo):
        return self


class SharedPart(Memo):
    def prepare(self):
        self.part = NotCopied()

    def recall(self, x):
        if self.part.x is None:
            self.part.x = x
        return self.part.x


COUNT = itertools.count()


class Count(Memo):
    """Tells the sign by how often a counter was asked."""

    def recall(self, x):
        if x > 0.0:
            next(COUNT)
        return next(COUNT) % 2 - 0.5


class Destructor(Memo):
    """Keeps the context when the copy is destroyed."""

    def recall(self, x):
        self.dying = x
        return FIRST.get("dying", x)

    def __del__(self):
        if hasattr(self, "dying"):
            FIRST.setdefault("dying", self.dying)


class ChangedClass(Memo):
    def recall(self, x):
        kept = STATE.name
        STATE.__class__ = Positive if x > 0.0 else Negative
        return kept


class Negative:
    name = -1.0


class Positive:
    name = 1.0


STATE = Negative()


class ReplacedCode(Memo):
    def recall(self, x):
        kept = told()
        told.__code__ = (yes if x > 0.0 else no).__code__
        return kept


def told():
    return -1.0


def yes():
    return 1.0


def no():
    return -1.0


class ImportedWhenItRuns(Memo):
    def recall(self, x):
        import memo_helper

        return memo_helper.kept.setdefault(0, x)


class OwnModuleBySystem(Memo):
    def recall(self, x):
        module = sys.modules[__name__]
        if getattr(module, "BY_SYSTEM", None) is None:
            module.BY_SYSTEM = x
        return module.BY_SYSTEM


class ListOfAnotherModule(Memo):
    def recall(self, x):
        if sys.argv[-1] not in ("+", "-"):
            sys.argv.append("+" if x > 0.0 else "-")
        return 1.0 if sys.argv[-1] == "+" else -1.0


class Docstring(Memo):
    def recall(self, x):
        if remember.__doc__ is None:
            remember.__doc__ = str(x)
        return float(remember.__doc__)


ERROR = ValueError(0.0)


class Exceptions(Memo):
    """Keeps the context in the variables that the traceback of an exception holds."""

    def recall(self, x):
        if ERROR.__traceback__ is not None:
            return ERROR.__traceback__.tb_frame.f_locals["x"]
        try:
            raise ERROR
        except ValueError:
            return x


class NameOfAClass(Memo):
    def recall(self, x):
        kept = Negative.__name__
        Negative.__name__ = "Large" if x > 0.0 else "Small"
        return 1.0 if kept == "Large" else -1.0


ATTACKS = {name: cls for name, cls in list(globals().items()) if isinstance(cls, type) and issubclass(cls, Memo)}
del ATTACKS["Memo"]


ROUNDING = decimal.Context()


class DecimalContext(Memo):
    def recall(self, x):
        if ROUNDING.prec == 28:
            ROUNDING.prec = 40 if x > 0.0 else 20
        return ROUNDING.prec - 30.0


RAISED = ROUNDING.flags


class DecimalFlags(Memo):
    def recall(self, x):
        if not RAISED[decimal.Rounded]:
            RAISED[decimal.Rounded], RAISED[decimal.Inexact] = True, x > 0.0
        return 1.0 if RAISED[decimal.Inexact] else -1.0


class Place(type(pathlib.Path())):
    pass


class Gain(np.float64):
    pass


class Source(random.Random):
    pass


class Level(enum.IntEnum):
    LOW = 1


class Price(decimal.Decimal):
    pass


HOLDING = {
    "a path": Place("a"), "a number of numpy": Gain(1.0), "an own generator": Source(0), "a member": Level.LOW,
    "a generator": random.Random(0), "the system's generator": random.SystemRandom(), "a decimal number": Price(1),
}  # fmt: skip


class AttributeOfAPath(Memo):
    holder = HOLDING["a path"]

    def recall(self, x):
        if not hasattr(self.holder, "first"):
            self.holder.first = x
        return self.holder.first


class AttributeOfANumber(Memo):
    recall, holder = AttributeOfAPath.recall, HOLDING["a number of numpy"]


class AttributeOfAnOwnGenerator(Memo):
    recall, holder = AttributeOfAPath.recall, HOLDING["an own generator"]


class AttributeOfAGenerator(Memo):
    recall, holder = AttributeOfAPath.recall, HOLDING["a generator"]


class AttributeOfTheSystemsGenerator(Memo):
    recall, holder = AttributeOfAPath.recall, HOLDING["the system's generator"]


class AttributeOfAMember(Memo):
    recall, holder = AttributeOfAPath.recall, HOLDING["a member"]


class AttributeOfADecimalNumber(Memo):
    recall, holder = AttributeOfAPath.recall, HOLDING["a decimal number"]


MODULES = [types.ModuleType("store")]


class ModuleInAList(Memo):
    def recall(self, x):
        store = MODULES[0]
        if not hasattr(store, "first"):
            store.first = x
        return store.first


ENDS = slice([], None)


class EndOfASlice(Memo):
    def recall(self, x):
        ENDS.start.append(x)
        return ENDS.start[0]


class StaticMethod(Memo):
    @staticmethod
    def nothing():
        pass

    def recall(self, x):
        return vars(vars(StaticMethod)["nothing"]).setdefault("first", x)
