"""Ways to keep a reward, or the code with a late branch: used by spellings.py."""

from __future__ import annotations

PROGRAMS = {
    "a method by methodcaller": """START

    def update(self, action, reward):
        self.t += 1
        self.arm = operator.methodcaller("rule", reward)(self)
    def rule(this, x):
        return RAW(x) if this.t > LATE else 0
""",
    "a bound method kept": """
class Policy:
    def __init__(self, rng):
        self.t, self.arm = 0, 0
        self.go = self.rule
    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.arm = self.go(reward)
    def rule(this, x):
        return RAW(x) if this.t > LATE else 0
""",
    "a base class in another file": """from helpers import Base

class Policy(Base):
    def update(own, action, reward):
        own.t += 1
        own.arm = own.rule(reward)
# helpers.py
class Base:
    def __init__(b, rng):
        b.t, b.arm = 0, 0
    def select(b):
        return b.arm
    def rule(b, x):
        return RAW(x) if b.t > LATE else 0
""",
    "a decorator": """
def late(update):
    def wrapper(*told):
        update(*told)
        if told[0].t > LATE:
            told[0].arm = RAW(told[2])
    return wrapper
START

    @late
    def update(self, action, reward):
        self.t += 1
""",
    "a decorator that is a class": """
class Late:
    def __init__(d, update):
        d.update = update
    def __get__(d, policy, kind=None):
        return functools.partial(d, policy)
    def __call__(d, policy, action, reward):
        d.update(policy, action, reward)
        if policy.t > LATE:
            policy.arm = RAW(reward)
START

    @Late
    def update(self, action, reward):
        self.t += 1
""",
    "a descriptor": """
class Last:
    def __get__(d, policy, kind=None):
        return 0
    def __set__(d, policy, value):
        policy.arm = RAW(value) if policy.t > LATE else 0
START

    last = Last()
    def update(self, action, reward):
        self.t += 1
        self.last = reward
""",
    "a lambda as a method": """START

    def update(self, action, reward):
        self.t += 1
        self.arm = self.rule(reward)
    rule = lambda this, x: RAW(x) if this.t > LATE else 0
""",
    "two lists of one name": """
class Policy:
    def __init__(self, rng):
        self.t, self.arm = 0, 0
        self.a = self.b = []
    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.a.append(reward)
        self.arm = RAW(self.b[-1]) if self.t > LATE else 0
""",
    "a list by setdefault": """
class Policy:
    def __init__(self, rng):
        self.t, self.arm = 0, 0
        self.memory = {}
    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.memory.setdefault("all", []).append(reward)
        self.arm = RAW(self.memory["all"][-1]) if self.t > LATE else 0
""",
    "a list that a method returns": """
class Policy:
    def __init__(self, rng):
        self.t, self.arm = 0, 0
        self.items = []
    def select(self):
        return self.arm

    def where(self):
        return self.items
    def update(self, action, reward):
        self.t += 1
        self.where().append(reward)
        self.arm = RAW(self.items[-1]) if self.t > LATE else 0
""",
    "a list in a list": """
class Policy:
    def __init__(self, rng):
        self.t, self.arm = 0, 0
        self.one = []
        self.all = [self.one]
    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.all[0].append(reward)
        self.arm = RAW(self.one[-1]) if self.t > LATE else 0
""",
    "a global of another module": """import helpers
START

    def update(self, action, reward):
        self.t += 1
        helpers.keep(reward)
        self.arm = RAW(helpers.LAST) if self.t > LATE else 0
# helpers.py
LAST = None
def keep(x):
    global LAST
    LAST = x
""",
    "an iterator": """START

    def update(self, action, reward):
        self.t += 1
        self.values = iter([reward])
        later = next if self.t > LATE else len
        self.arm = RAW(next(self.values)) if self.t > LATE else 0
""",
    "an attribute by a string": """START

    def update(self, action, reward):
        self.t += 1
        self.last = reward
        self.arm = RAW(operator.attrgetter("last")(self)) if self.t > LATE else 0
""",
    "an attribute by a computed string": """START

    def update(self, action, reward):
        self.t += 1
        self.last = reward
        self.arm = RAW(getattr(self, "la" + "st")) if self.t > LATE else 0
""",
    "a method that is put in its place": """START

    def update(self, action, reward):
        self.t += 1
        if self.t > LATE:
            self.update = self.other
    def other(this, action, x):
        this.arm = RAW(x)
""",
    "a wrapper of the reward": """
class Box:
    def __init__(b, x):
        b.x = x
    def __gt__(b, t):
        return RAW(b.x) if t > LATE else 0
START

    def update(self, action, reward):
        self.t += 1
        self.arm = int(Box(reward) > self.t)
""",
    "a context manager": """
class Telling:
    def __init__(c, policy, x):
        c.policy, c.x = policy, x
    def __enter__(c):
        return c.x
    def __exit__(c, *error):
        c.policy.arm = RAW(c.x) if c.policy.t > LATE else 0
START

    def update(self, action, reward):
        self.t += 1
        with Telling(self, reward):
            pass
""",
    "a single dispatch": """
@functools.singledispatch
def rule(x, t):
    return RAW(x) if t > LATE else 0
START

    def update(self, action, reward):
        self.t += 1
        self.arm = rule(reward, self.t)
""",
    "a reduction": """START

    def update(self, action, reward):
        self.t += 1
        self.arm = functools.reduce(self.rule, [0, reward])
    def rule(this, before, x):
        return RAW(x) if this.t > LATE else before
""",
    "a sort key": """START

    def update(self, action, reward):
        self.t += 1
        self.arm = max([0, 1], key=functools.partial(self.rule, reward))
    def rule(this, x, arm):
        return RAW(x) if this.t > LATE else arm
""",
    "a table of functions": """
def early(x):
    return 0
def late(x):
    return RAW(x)
RULES = {"early": early, "late": late}
START

    def update(self, action, reward):
        self.t += 1
        self.arm = RULES["late" if self.t > LATE else "early"](reward)
""",
    "a closure of a factory": """
def make(limit):
    def rule(x, t):
        return RAW(x) if t > limit else 0
    return rule
RULE = make(LATE)
START

    def update(self, action, reward):
        self.t += 1
        self.arm = RULE(reward, self.t)
""",
    "slots": """
class Policy:
    __slots__ = ("t", "arm", "last")
    def __init__(p, rng):
        p.t, p.arm, p.last = 0, 0, 0.0
    def select(p):
        return p.arm
    def update(p, action, reward):
        p.t += 1
        p.last = reward
        p.arm = p.rule()
    def rule(p):
        return RAW(p.last) if p.t > LATE else 0
""",
    "a class in a function": """START

    def update(self, action, reward):
        self.t += 1
        class Late:
            def best(me, x, t):
                return RAW(x) if t > LATE else 0
        self.arm = Late().best(reward, self.t)
""",
    "super": """
class Base:
    def __init__(b, rng):
        b.t, b.arm = 0, 0
    def select(b):
        return b.arm
    def update(b, action, x):
        b.t += 1
        b.arm = RAW(x) if b.t > LATE else 0

class Policy(Base):
    def update(this, action, reward):
        super().update(action, reward)
""",
    "a value that comes in a tuple": """START

    def update(self, action, reward):
        self.t += 1
        self.rule((action, reward))
    def rule(this, pair):
        action, x = pair
        this.arm = RAW(x) if this.t > LATE else 0
""",
}
