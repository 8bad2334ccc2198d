"""What code reaches is looked at again only when something of it has changed: whatever has, is found and put back."""

import collections
import contextvars
import functools
import sys
import types

import numpy as np
import pytest

from privcheck.reached_state import Kept, KnownCode, SeparateCoins, apart
from privcheck.reached_state._kept import GIVEN_UP

pytestmark = pytest.mark.filterwarnings("ignore:Setting the .* on a NumPy array:DeprecationWarning")

SOURCE = """
import collections, contextvars, functools, types
import numpy as np

NUMBER, TABLE, LIST, SET, QUEUE = 1.0, {"a": 1.0}, [1.0], {1.0}, collections.deque([1.0])
ORDERED, COUNTS = collections.OrderedDict(a=1.0, b=2.0), collections.defaultdict(list, a=[1.0])
BYTES, ARRAY, VARIABLE = bytearray(b"one"), np.ones(3), contextvars.ContextVar("VARIABLE", default=None)
SPACE, EMPTY = types.SimpleNamespace(x=1.0), types.SimpleNamespace()
NESTED = {"inner": [{"deep": [1.0]}]}
PARTIAL = functools.partial(max, 1.0)
NOTHING, SOMETHING = {}, {"a": 1.0}


class Slotted:
    __slots__ = ("x", "y")


class Base:
    seen = []


class Held:
    pass


class Other:
    pass


SLOTTED, HELD = Slotted(), Held()
SLOTTED.x = 1.0


def closing():
    count, later = 0.0, None
    def counted():
        nonlocal count
        return count
    return counted


counted = closing()


def helper(x, kept=[], *, other={"a": 1.0}):
    return x


class Policy(Base):
    limit = 1.0

    def __init__(self):
        self.sums = [0.0]

    def select(self, context):
        global NUMBER, SPACE
        NUMBER, SPACE = NUMBER, SPACE
        return (helper(context), TABLE, LIST, SET, QUEUE, ORDERED, COUNTS, BYTES, ARRAY, VARIABLE, SPACE, EMPTY, NESTED,
                PARTIAL, SLOTTED, HELD, NOTHING, SOMETHING, counted)
"""

CHANGES = {
    "a global": lambda m: setattr(m, "NUMBER", 2.0),
    "a global that is bound to another object": lambda m: setattr(m, "SPACE", types.SimpleNamespace(x=1.0)),
    "a value of a dictionary": lambda m: m.TABLE.update(a=2.0),
    "a key of a dictionary, with its value": lambda m: m.TABLE.update(b=m.TABLE.pop("a")),
    "an empty dictionary": lambda m: m.NOTHING.update(a=1.0),
    "a dictionary that becomes empty": lambda m: m.SOMETHING.clear(),
    "the class of an object": lambda m: setattr(m.HELD, "__class__", m.Other),
    "the attributes of an object": lambda m: setattr(m.HELD, "__dict__", {"x": 1.0}),
    "a list": lambda m: m.LIST.append(1.0),
    "a set": lambda m: m.SET.add(2.0),
    "a deque": lambda m: m.QUEUE.append(1.0),
    "an order": lambda m: m.ORDERED.move_to_end("a"),
    "a default dictionary": lambda m: m.COUNTS["b"],
    "bytes": lambda m: m.BYTES.extend(b"!"),
    "an array": lambda m: m.ARRAY.__setitem__(0, 2.0),
    "a shape": lambda m: setattr(m.ARRAY, "shape", (3, 1)),
    "a flag": lambda m: m.ARRAY.setflags(write=False),
    "an attribute": lambda m: setattr(m.SPACE, "x", 2.0),
    "an attribute that was not there": lambda m: setattr(m.EMPTY, "x", 2.0),
    "deep inside": lambda m: m.NESTED["inner"][0]["deep"].append(1.0),
    "a slot": lambda m: setattr(m.SLOTTED, "x", 2.0),
    "an empty slot": lambda m: setattr(m.SLOTTED, "y", 2.0),
    "a cell": lambda m: setattr(m.counted.__closure__[0], "cell_contents", 1.0),
    "a default": lambda m: m.helper.__defaults__[0].append(1.0),
    "all defaults": lambda m: setattr(m.helper, "__defaults__", ([1.0],)),
    "a default by name": lambda m: m.helper.__kwdefaults__["other"].update(a=2.0),
    "an attribute of a function": lambda m: setattr(m.helper, "x", 1.0),
    "the code of a function": lambda m: setattr(m.helper, "__code__", (lambda x, kept=[], *, other={}: 2.0).__code__),
    "an attribute of a class": lambda m: setattr(m.Policy, "limit", 2.0),
    "a new attribute of a class": lambda m: setattr(m.Policy, "new", 2.0),
    "a list of a base class": lambda m: m.Base.seen.append(1.0),
    "the bases of a class": lambda m: setattr(m.Policy, "__bases__", (type("Other", (m.Base,), {}),)),
    "a method": lambda m: setattr(m.Policy, "__init__", lambda self: None),
}


@pytest.fixture
def module():
    made = types.ModuleType("code_that_is_known")
    sys.modules[made.__name__] = made
    exec(compile(SOURCE, "<code that is known>", "exec"), made.__dict__)
    yield made
    del sys.modules[made.__name__]


def held(policy: object) -> list[object]:
    """Return all that is reached from a policy and can be changed, in words: by a walk of its own."""
    walk = Kept([policy]).walk
    return [(put.__name__, id(value), repr(saved)) for put, value, saved in walk.puts]


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_in_the_block_is_put_back(module, what) -> None:
    policy, known, coins = module.Policy(), KnownCode(), SeparateCoins()
    with apart([policy], coins, known):
        pass
    before = held(policy)
    with apart([policy], coins, known):
        CHANGES[what](module)
        assert held(policy) != before
    assert held(policy) == before


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_between_blocks_stays(module, what) -> None:
    """The block after it starts from it, and puts it back."""
    policy, known, coins = module.Policy(), KnownCode(), SeparateCoins()
    with apart([policy], coins, known):
        pass
    CHANGES[what](module)
    after = held(policy)
    with apart([policy], coins, known):
        module.TABLE["in the block"] = 1.0
        module.ARRAY[:] if not module.ARRAY.flags.writeable else module.ARRAY.fill(7.0)
        module.Base.seen.append(3.0)
    assert held(policy) == after


@pytest.mark.parametrize("what", CHANGES)
def test_what_is_put_back_often_is_compared_first(module, what) -> None:
    policy = module.Policy()
    kept, before = Kept([policy], often=True), held(policy)
    for _ in range(3):
        CHANGES[what](module)
        kept.put_back()
        assert held(policy) == before


def test_nothing_is_found_again_while_nothing_changes(module) -> None:
    policy, known = module.Policy(), KnownCode()
    first = known.reached([type(policy), module.helper])
    policy.sums.append(1.0)
    assert known.reached([type(policy), module.helper]) is first
    assert known.reached([type(policy)]) is not first
    CHANGES["a list"](module)
    assert known.reached([type(policy)]) is not known.reached([type(policy), module.helper])


def test_new_objects_are_found(module) -> None:
    """What is put into a list between blocks is put back after them."""
    policy, known, coins = module.Policy(), KnownCode(), SeparateCoins()
    for number in range(GIVEN_UP + 3):
        box = {"number": number}
        module.LIST.append(box)
        with apart([policy], coins, known):
            box["number"] = module.LIST[0] = -1
        assert box == {"number": number}
        assert module.LIST[0] == 1.0


def test_caches_are_empty_in_every_block(module) -> None:
    module.cached = functools.lru_cache(lambda x: x)
    exec("class Cached(Policy):\n    def select(self, context):\n        return cached(context)", module.__dict__)
    policy, known, coins = module.Cached(), KnownCode(), SeparateCoins()
    module.cached(0.5)
    for _ in range(3):
        with apart([policy], coins, known):
            assert module.cached.cache_info().currsize == 0
            module.cached(0.25)
        assert module.cached.cache_info().currsize == 1


def test_context_variables_lead_on(module) -> None:
    policy, known, coins = module.Policy(), KnownCode(), SeparateCoins()

    def blocks() -> None:
        for _ in range(2):
            box = [1.0]
            module.VARIABLE.set(box)
            with apart([policy], coins, known):
                box.append(2.0)
            assert box == [1.0]

    contextvars.copy_context().run(blocks)


def test_arrays_keep_what_they_hold_at_each_block(module) -> None:
    policy, known, coins = module.Policy(), KnownCode(), SeparateCoins()
    for number in range(3):
        module.ARRAY.fill(number)
        with apart([policy], coins, known):
            module.ARRAY.fill(-1.0)
        np.testing.assert_array_equal(module.ARRAY, number)


def test_the_way_through_code_finds_the_same(module) -> None:
    policy = module.Policy()
    known = Kept([policy], code=KnownCode())
    whole = Kept([policy])
    found = collections.Counter(id(value) for _, value, _ in [*known.walk.puts, *known.of_code.walk.puts])
    assert set(found) == {id(value) for _, value, _ in whole.walk.puts}
