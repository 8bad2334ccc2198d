"""Policies that keep something outside of their process, and honest ones that read a constant file.

`Kept` scales each reward by a function of it, which a broken twin makes depend on rewards before it.
"""

# ruff: noqa: PTH110, PTH123, T201  that these are careless is what they are for

import contextlib
import json
import os
import pathlib
import pickle
import shelve
import sqlite3
import subprocess
import sys
import tempfile

import numpy as np

import privcheck
from privcheck.mechanisms import Laplace

FOLDER = pathlib.Path(tempfile.gettempdir()) / "privcheck-outside-state"
FOLDER.mkdir(exist_ok=True)
TABLE = pathlib.Path(__file__).with_name("outside_table.json")
IMPORTED = json.loads(TABLE.read_text(encoding="utf-8"))


class Kept:
    """Releases the sum of scaled rewards every four rounds."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.t, self.best = rng, arms, 0, 0
        self.noise = Laplace(sensitivity=1.0, epsilon=epsilon)
        self.sum = privcheck.zeros(1)
        self.prepare()

    def prepare(self):
        pass

    def scaled(self, r):
        return r

    def select(self):
        return self.best

    def update(self, action, reward):
        self.t += 1
        self.sum[0] += privcheck.feature(self.scaled, reward, 0.0, 1.0)
        if self.t % 4 == 0:
            self.best = int(self.noise.release(self.sum, self.rng)[0] > 2.0)
            self.sum = privcheck.zeros(1)


class Broken(Kept):
    """Keeps the largest reward so far in a place."""

    def scaled(self, r):
        top = max(self.load(), r)
        self.store(top)
        return r / top if top else 0.0


class JsonFile(Broken):
    place = FOLDER / "top.json"

    def load(self):
        return json.loads(self.place.read_text()) if self.place.exists() else 0.0

    def store(self, top):
        with open(self.place, "w") as file:
            json.dump(top, file)


class PickleFile(Broken):
    place = str(FOLDER / "top.pickle")

    def load(self):
        try:
            with open(self.place, "rb") as file:
                return pickle.load(file)
        except OSError:
            return 0.0

    def store(self, top):
        with open(self.place, "wb") as file:
            pickle.dump(top, file)


class Descriptor(Broken):
    """Without file objects."""

    place = str(FOLDER / "top.bytes")

    def load(self):
        with contextlib.suppress(OSError, ValueError):
            file = os.open(self.place, os.O_RDONLY)
            try:
                return float(os.read(file, 50))
            finally:
                os.close(file)
        return 0.0

    def store(self, top):
        file = os.open(self.place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.write(file, str(top).encode())
        os.close(file)


class ArrayFile(Broken):
    """Through a package."""

    place = str(FOLDER / "top.npy")

    def load(self):
        return float(np.load(self.place)) if os.path.exists(self.place) else 0.0

    def store(self, top):
        np.save(self.place, top)


class NamesOfFiles(Broken):
    """In the name of an empty file."""

    def load(self):
        return max((float(file.name[4:]) for file in FOLDER.glob("name*")), default=0.0)

    def store(self, top):
        (FOLDER / f"name{top}").touch()


class Sqlite(Broken):
    place = str(FOLDER / "top.sqlite")

    def connected(self):
        found = sqlite3.connect(self.place)
        found.execute("create table if not exists kept (top real)")
        return found

    def load(self):
        with contextlib.closing(self.connected()) as found:
            return found.execute("select max(top) from kept").fetchone()[0] or 0.0

    def store(self, top):
        with contextlib.closing(self.connected()) as found, found:
            found.execute("insert into kept values (?)", (top,))


class Shelve(Broken):
    place = str(FOLDER / "top.shelve")

    def load(self):
        with shelve.open(self.place) as found:
            return found.get("top", 0.0)

    def store(self, top):
        with shelve.open(self.place) as found:
            found["top"] = top


class Environment(Broken):
    """Where only other programs see it."""

    def load(self):
        command = [sys.executable, "-S", "-E", "-c", "import os; print(os.environ.get('PRIVCHECK_TOP', 0))"]
        return float(subprocess.run(command, capture_output=True, check=True).stdout)

    def store(self, top):
        os.putenv("PRIVCHECK_TOP", str(top))


class EnvironmentAlone(Kept):
    def scaled(self, r):
        os.putenv("PRIVCHECK_TOP", str(r))
        return r


class Program(Broken):
    place = str(FOLDER / "top.txt")

    def load(self):
        return float(subprocess.run(["cat", self.place], capture_output=True).stdout or 0)

    def store(self, top):
        subprocess.run(["sh", "-c", f"echo {top} > {self.place}"], check=True)


class System(Kept):
    def scaled(self, r):
        os.system(f"echo {r} > {FOLDER / 'last.txt'}")
        return r


class ReadsInUpdate(Kept):
    """Reads public words in a round: the bound holds, but the code alone is not seen to keep it."""

    def update(self, action, reward):
        json.loads(TABLE.read_text(encoding="utf-8"))
        super().update(action, reward)


class Honest(Kept):
    """Reads nothing in its rounds."""


class ConstantAtConstruction(Honest):
    def prepare(self):
        self.table = json.loads(TABLE.read_text(encoding="utf-8"))

    def scaled(self, r):
        return r * self.table["factor"]


class ConstantAtImport(Honest):
    def scaled(self, r):
        return r * IMPORTED["factor"]


class Printing(Honest):
    def update(self, action, reward):
        print("round", self.t, file=sys.stderr)
        super().update(action, reward)


class ImportingInARound(Honest):
    def update(self, action, reward):
        import colorsys

        self.tools = colorsys
        super().update(action, reward)


class Contextual:
    """Chooses by the sign of what it recalls of a context."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.t, self.theta = rng, 0, np.zeros(2)
        self.noise = Laplace(sensitivity=2.0 * np.sqrt(2.0), epsilon=epsilon)
        self.sums = privcheck.zeros(2)

    def select(self, context):
        return int(self.recall(float(context[0, 0])) > 0.0)

    def update(self, context, action, reward):
        self.t += 1
        self.sums += reward * context[action]
        if self.t % 4 == 0:
            self.theta = self.theta + self.noise.release(self.sums, self.rng)
            self.sums = privcheck.zeros(2)


class FirstContext(Contextual):
    place = FOLDER / "first.txt"

    def recall(self, x):
        if not self.place.exists():
            self.place.write_text(str(x))
        return float(self.place.read_text())


LOG = (FOLDER / "log.txt").open("w")


class OpenFile(Contextual):
    """Writes into a file that is open since the module was imported, and tells by its size."""

    def recall(self, x):
        if x > 0.3:
            LOG.write("x")
        return float(LOG.tell() > 0) - 0.5


class ReadsNothing(Contextual):
    def recall(self, x):
        return x
