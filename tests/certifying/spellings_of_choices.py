"""Ways to choose code or values late: used by spellings.py."""

from __future__ import annotations

PROGRAMS = {
    "nested chosen": """START

    def update(self, action, reward):
        self.t += 1
        def early(x): return 0
        def late(x): return RAW(x)
        choose = late if self.t > LATE else early
        self.arm = choose(reward)
""",
    "lambda chosen by dict": """START

    def update(self, action, reward):
        self.t += 1
        self.arm = {False: lambda x: 0, True: lambda x: RAW(x)}[self.t > LATE](reward)
""",
    "two lambdas in one line": """START

    def update(self, action, reward):
        self.t += 1
        f, g = (lambda x: 0), (lambda x: RAW(x))
        self.arm = (g if self.t > LATE else f)(reward)
""",
    "subclass instance swapped": """
class A:
    def choose(a, x): return 0
class B(A):
    def choose(b, x): return RAW(x)

class Policy:
    def __init__(self, rng):
        self.t, self.arm = 0, 0
        self.rule = A()
    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        if self.t > LATE:
            self.rule = B()
        self.arm = self.rule.choose(reward)
""",
    "getitem swapped": """
class A:
    def __getitem__(a, x): return 0
class B:
    def __getitem__(b, x): return RAW(x)

class Policy:
    def __init__(self, rng):
        self.t, self.arm = 0, 0
        self.rule = A()
    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        if self.t > LATE:
            self.rule = B()
        self.arm = self.rule[reward]
""",
    "init of class chosen": """
class A:
    def __init__(a, x): a.arm = 0
class B:
    def __init__(b, x): b.arm = RAW(x)
START

    def update(self, action, reward):
        self.t += 1
        kind = B if self.t > LATE else A
        self.arm = kind(reward).arm
""",
    "class table": """
class A:
    def __init__(a, x): a.arm = 0
class B:
    def __init__(b, x): b.arm = RAW(x)
KINDS = [A, B]
START

    def update(self, action, reward):
        self.t += 1
        self.arm = KINDS[self.t > LATE](reward).arm
""",
    "shadow, update ran by other": """
class Base:
    def __init__(self, loud):
        self.loud = loud
    def look(self, x, t):
        if self.loud and t > LATE:
            return RAW(x)
        return 0
class Policy(Base):
    def __init__(self, rng):
        super().__init__(False)
        self.t, self.arm, self.other = 0, 0, Base(True)
    def select(self):
        return self.arm
    def update(self, action, reward):
        self.t += 1
        self.arm = self.look(reward, self.t) + self.other.look(reward, self.t)
""",
    "static method asks its first argument": """
class Options:
    loud = True

class Policy:
    def __init__(self, rng):
        self.t, self.arm = 0, 0
        self.loud = False
        self.options = Options()
    def select(self):
        return self.arm

    @staticmethod
    def look(options, x, t):
        if options.loud and t > LATE:
            return RAW(x)
        return 0
    def update(self, action, reward):
        self.t += 1
        self.arm = self.look(self.options, reward, self.t)
""",
    "UserDict get": """from collections import UserDict
class Policy(UserDict):
    def __init__(self, rng):
        self.data = {}; self.t, self.arm = 0, 0
    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self["last"] = reward
        self.arm = RAW(self["last"]) if self.t > LATE else 0
""",
    "UserDict method": """from collections import UserDict
class Policy(UserDict):
    def __init__(self, rng):
        self.data = {}; self.t, self.arm = 0, 0
    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self["last"] = reward
        self.arm = RAW(self.get("last")) if self.t > LATE else 0
""",
    "UserList iterate": """from collections import UserDict
class Policy(UserDict):
    def __init__(self, rng):
        self.data = {}; self.t, self.arm = 0, 0
    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self["last"] = reward
        self.arm = max([RAW(x) for x in self.values()]) if self.t > LATE else 0
""",
    "match class": """
@dataclass
class Box:
    value: object
START

    def update(self, action, reward):
        self.t += 1
        box = Box(reward)
        match (self.t > LATE, box):
            case True, Box(value=v):
                self.arm = RAW(v)
            case _:
                self.arm = 0
""",
    "match guard": """START

    def update(self, action, reward):
        self.t += 1
        match reward:
            case x if self.t > LATE and RAW(x):
                self.arm = 1
            case _:
                self.arm = 0
""",
    "walrus": """START

    def update(self, action, reward):
        self.t += 1
        if (x := reward) is not None and self.t > LATE:
            self.arm = RAW(x)
""",
    "del and reuse": """START

    def update(self, action, reward):
        self.t += 1
        a = b = []
        a.append(reward)
        v = b[-1]
        if self.t > LATE:
            self.arm = RAW(v)
        v = 0
        a.clear()
""",
    "one line alias": """START

    def update(self, action, reward):
        a = b = []; self.t += 1; a.append(reward); v = b.pop(); self.arm = RAW(v) if self.t > LATE else 0; v = None
""",
    "default argument memo": """
def keep(x=None, memo=[]):
    if x is not None: memo.append(x)
    return memo
START

    def update(self, action, reward):
        self.t += 1
        keep(reward)
        if self.t > LATE:
            self.arm = RAW(keep()[-1])
""",
    "function attribute": """
def rule(): pass
START

    def update(self, action, reward):
        self.t += 1
        rule.last = reward
        if self.t > LATE:
            self.arm = RAW(rule.last)
""",
    "class attribute list": """
class Policy:
    shared = []
    def __init__(self, rng):
        self.t, self.arm = 0, 0
    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        type(self).shared.append(reward)
        if self.t > LATE:
            self.arm = RAW(Policy.shared[-1])
""",
    "queue": """import queue

class Policy:
    def __init__(self, rng):
        self.t, self.arm = 0, 0
        self.q = queue.Queue()
    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.q.put(reward)
        if self.t > LATE:
            self.arm = RAW(self.q.get())
""",
    "exception carries": """
class Told(Exception): pass
START

    def update(self, action, reward):
        self.t += 1
        try:
            raise Told(reward)
        except Told as told:
            if self.t > LATE:
                self.arm = RAW(told.args[0])
""",
}
