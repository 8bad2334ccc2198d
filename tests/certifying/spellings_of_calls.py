"""Ways to hand a reward on to code with a late branch: used by spellings.py."""

from __future__ import annotations

PROGRAMS = {
    "a receiver of another name": """
class Policy:
    def __init__(this, rng):
        this.t, this.arm = 0, 0
    def select(this):
        return this.arm
    def update(this, action, reward):
        this.t += 1
        this.arm = this.rule(reward)
    def rule(this, x):
        if this.t > LATE:
            return RAW(x)
        return 0
""",
    "a receiver of another name, two arguments": """
class Policy:
    def __init__(me, rng):
        me.t, me.arm = 0, 0
    def select(me):
        return me.arm
    def update(me, action, reward):
        me.t += 1
        me.arm = me.rule(me.t, reward)
    def rule(me, t, x):
        return RAW(x) if t > LATE else 0
""",
    "a static method": """START

    def update(self, action, reward):
        self.t += 1
        self.arm = self.rule(reward, self.t)
    @staticmethod
    def rule(x, t):
        return RAW(x) if t > LATE else 0
""",
    "a static method whose first parameter is called self": """START

    def update(self, action, reward):
        self.t += 1
        self.arm = self.rule(reward, self.t)
    @staticmethod
    def rule(self, t):
        return RAW(self) if t > LATE else 0
""",
    "a static method of the class by its name": """START

    def update(self, action, reward):
        self.t += 1
        self.arm = Policy.rule(reward, self.t)
    @staticmethod
    def rule(cls, t):
        return RAW(cls) if t > LATE else 0
""",
    "a class method": """START

    def update(self, action, reward):
        self.t += 1
        self.arm = self.rule(reward, self.t)
    @classmethod
    def rule(kind, x, t):
        return RAW(x) if t > LATE else 0
""",
    "a method called through its class": """START

    def update(self, action, reward):
        self.t += 1
        self.arm = Policy.rule(self, reward)
    def rule(self, x):
        return RAW(x) if self.t > LATE else 0
""",
    "a function of a module whose parameter is called self": """
def rule(self, t):
    return RAW(self) if t > LATE else 0
START

    def update(self, action, reward):
        self.t += 1
        self.arm = rule(reward, self.t)
""",
    "a nested function": """START

    def update(self, action, reward):
        self.t += 1
        def inner(y):
            if self.t > LATE:
                return RAW(y)
            return 0
        rule = inner
        self.arm = rule(reward)
""",
    "a nested function that closes over the reward": """START

    def update(self, action, reward):
        self.t += 1
        def late():
            return RAW(reward)
        self.arm = (lambda f: f() if self.t > LATE else 0)(late)
""",
    "a lambda in an attribute": """
class Policy:
    def __init__(self, rng):
        self.t, self.arm = 0, 0
        self.rule = lambda x, t: RAW(x) if t > LATE else 0
    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.arm = self.rule(reward, self.t)
""",
    "a partial": """
class Policy:
    def __init__(self, rng):
        self.t, self.arm = 0, 0
        self.rule = functools.partial(self.choose, 1)
    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.arm = self.rule(reward)
    def choose(self, weight, x):
        return RAW(x) if self.t > LATE else 0
""",
    "a partial of the reward": """START

    def update(self, action, reward):
        self.t += 1
        late = functools.partial(choose, reward)
        self.arm = late(self.t)

def choose(x, t):
    return RAW(x) if t > LATE else 0
""",
    "a data class that holds it": """
@dataclass
class Seen:
    value: float
    def best(one, t):
        return RAW(one.value) if t > LATE else 0
START

    def update(self, action, reward):
        self.t += 1
        self.arm = Seen(reward).best(self.t)
""",
    "a policy that is a data class": """
@dataclass
class Policy:
    rng: object
    t: int = 0
    arm: int = 0
    kept: list = field(default_factory=list)
    def select(s):
        return s.arm
    def update(s, action, reward):
        s.t += 1
        s.kept.append(reward)
        s.arm = s.rule()
    def rule(s):
        return RAW(s.kept[-1]) if s.t > LATE else 0
""",
    "a property": """START

    def update(self, action, reward):
        self.t += 1
        self.last = reward
        self.arm = self.best
    @property
    def best(p):
        return RAW(p.last) if p.t > LATE else 0
""",
    "a setter": """START

    def update(self, action, reward):
        self.t += 1
        self.last = reward
    @property
    def last(p):
        return 0
    @last.setter
    def last(p, value):
        p.arm = RAW(value) if p.t > LATE else 0
""",
    "other names for self and reward": """
class Policy:
    def __init__(reward, rng):
        reward.t, reward.arm = 0, 0
    def select(reward):
        return reward.arm
    def update(reward, self, cls):
        reward.t += 1
        reward.rule(cls)
    def rule(cls, self):
        cls.arm = RAW(self) if cls.t > LATE else 0
""",
    "all arguments by star": """START

    def update(*args):
        self = args[0]
        self.t += 1
        self.arm = self.rule(*args[1:])
    def rule(self, *told):
        return RAW(told[1]) if self.t > LATE else 0
""",
    "keywords by star": """START

    def update(self, action, reward):
        self.t += 1
        self.arm = self.rule(**{"value": reward})
    def rule(self, **told):
        return RAW(told["value"]) if self.t > LATE else 0
""",
    "keyword-only": """START

    def update(self, action, reward):
        self.t += 1
        self.arm = self.rule(x=reward)
    def rule(self, *, x):
        return RAW(x) if self.t > LATE else 0
""",
    "a module of helpers": """import helpers
START

    def update(self, action, reward):
        self.t += 1
        self.arm = helpers.rule(reward, self.t)
# helpers.py
def rule(self, t):
    return RAW(self) if t > LATE else 0
""",
    "an object of a module of helpers": """from helpers import RULES
START

    def update(self, action, reward):
        self.t += 1
        self.arm = RULES.rule(reward, self.t)
# helpers.py
class Rules:
    def rule(rules, x, t):
        return RAW(x) if t > LATE else 0
RULES = Rules()
""",
    "a comprehension": """START

    def update(self, action, reward):
        self.t += 1
        values = [reward]
        self.arm = sum([RAW(x) for x in values if self.t > LATE])
""",
    "a generator function": """START

    def update(self, action, reward):
        self.t += 1
        self.arm = sum(self.late([reward]))
    def late(this, values):
        for x in values:
            if this.t > LATE:
                yield RAW(x)
""",
    "a method by getattr": """START

    def update(self, action, reward):
        self.t += 1
        self.arm = getattr(self, "ru" + "le")(reward)
    def rule(this, x):
        return RAW(x) if this.t > LATE else 0
""",
}
