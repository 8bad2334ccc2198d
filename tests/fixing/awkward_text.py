"""Bandits that leak in files whose text is hard to edit: tabs, form feeds, semicolons, strings, newlines, encodings."""

TEXTS = {}

TEXTS["tabs"] = '''\
import numpy as np

class Bandit:
\tdef __init__(self, rng, arms=2, epsilon=1.0):
\t\tself.rng, self.epsilon = rng, epsilon
\t\tself.sums, self.n = np.zeros(arms), np.zeros(arms)

\tdef select(self):
\t\tif self.n.min() == 0:
\t\t\treturn int(self.n.argmin())
\t\treturn int(np.argmax(self.sums / self.n))

\tdef update(self, action, reward):
\t\t"""Learn.

\t\ttabs\teverywhere
\t\t"""
\t\tif action >= 0:
\t\t\tself.sums[action] += reward
\t\t\tself.n[action] += 1'''

TEXTS["form feed and semicolons"] = '''\
#!/usr/bin/env python
"""Doc."""
from __future__ import annotations; import numpy as np; VERSION = 1
\x0c
class Bandit:
    """A; bandit.""" ; kind = "ucb"
    def __init__(self, rng, arms=2): self.rng = rng; self.sums, self.n = np.zeros((2, arms))
\x0c
    def select(self): return int(self.n.argmin()) if self.n.min() == 0 else int(np.argmax(self.sums / self.n))
    def update(self, action, reward): self.sums[action] += reward; self.n[action] += 1
\x0c
'''

TEXTS["one line update with docstring"] = """\
import numpy as np
class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0): "init"; self.rng = rng; self.epsilon = epsilon; self.best = 0
    def select(self): return self.best
    def update(self, action, reward): "learn"; self.best = action if reward > 0.5 else 1 - action
"""

TEXTS["f-strings over lines"] = '''\
import numpy as np

class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.sums, self.n = {}, {}
        self.arms = arms

    def select(self):
        for a in range(self.arms):
            if f"""arm
{a}""" not in self.n:
                return a
        return max(range(self.arms), key=lambda a: self.sums[f"""arm
{a}"""] / self.n[f"""arm
{a}"""])

    def update(self, action, reward):
        name = f"""arm
{action}"""
        self.sums[name] = self.sums.get(f"""arm
{action}""", 0.0) + reward
        self.n[name] = self.n.get(name, 0) + 1
        text = """
        self.sums[action] += reward
    def update(self, action, reward):
"""
'''


def files(walrus, slots):
    """Return the bytes of files by name; two of them have these texts."""
    found = {name: text.encode() for name, text in TEXTS.items()}
    found["latin-1 and CRLF"] = (
        ("# -*- coding: latin-1 -*-\n# caf\xe9\n" + TEXTS["tabs"]).replace("\n", "\r\n").encode("latin-1")
    )
    found["mixed newlines and a byte order mark"] = (
        b"\xef\xbb\xbf" + walrus.replace("\n", "\r\n", 5).replace("\n\n", "\r\r").encode()
    )
    found["a byte order mark before the class"] = b"\xef\xbb\xbf" + TEXTS["one line update with docstring"].encode()
    found["Shift JIS"] = ("# -*- coding: shift_jis -*-\n# \u8868\u793a \uff71\n" + slots).encode("shift_jis")
    found["separators that end no line"] = (
        slots.replace("import numpy as np", 'import numpy as np\nNAME = "a\u2028b\x0bc\x1cd\x85e"')
        .replace("reward\n", 'reward; "\u2028\U0001f600"; é = "ÿ"; "\x85"\n', 1)
        .encode()
    )
    return found
