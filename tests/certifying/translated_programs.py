"""Policies in ordinary Python, by their lines: what they are charged, and twins that are refused."""

from __future__ import annotations

import importlib.util
import linecache
import sys
import textwrap
from itertools import count

import numpy as np

from privcheck.certifying import Session, drive_guarded
from privcheck.certifying._translated.swapped_code import translated
from privcheck.privacy import relation

_NUMBER = count()

TEMPLATE = """\
import math
import statistics
import numpy as np
import numpy as n
from numpy import zeros, array, clip
import privcheck
from collections import defaultdict

TABLE = [0.25, 0.75]


class Counts(list):
    def __iadd__(self, other):
        raise ValueError



class Policy:
    def __init__(self, rng):
        self.rng, self.t, self.out, self.x = rng, 0, 0.0, 0.0
        {made}

    def select(self):
        return 0

    def update(self, action, reward):
        r = reward
        self.t += 1
{lines}
        if self.t == 3:
            self.out = {read}

    def noised(self, value):
        return np.asarray(value + self.rng.laplace(0.0, {scale}, size=np.shape(value)))
{more}
"""
FIRST_LINE = TEMPLATE[: TEMPLATE.index("{lines}")].count("\n") + 1
"""Where the lines of `update` stand in a file."""


def source(lines, *, made="self.s = 0.0", read="self.noised(self.s)", scale=1.0, more=""):
    """Return a module with a policy that runs lines in `update`, and reads a value with noise in its third round."""
    return TEMPLATE.format(
        made=made, lines=textwrap.indent(lines, " " * 8), read=read, scale=scale, more=textwrap.indent(more, " " * 4)
    )


def loaded(text, folder):
    """Return the class `Policy` of a module with this text."""
    name = f"translated_program_{next(_NUMBER)}"
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    linecache.checkcache(str(path))
    return module.Policy


def guarded(policy, budget=None, rewards=((0.7,), (0.1,), (0.4,), (0.9,)), ends=(0.0, 1.0)):
    """Return the session of a guarded run."""
    session = Session(relation("row"), ends, budget, np.random.default_rng(0))
    with translated(policy):
        made = policy(session.generator(np.random.default_rng(1)))
        drive_guarded(made, np.array(rewards), session, "bandit")
    return session
