"""The edits one by one: what they write, where they are not made, and the traps that patches of bandits fall into."""

from __future__ import annotations

import difflib
import types

import numpy as np
import pytest

from privcheck.fixing._edits.proposals import proposals
from privcheck.fixing._edits.universal import universal
from privcheck.fixing._look import Finding, Setting, look
from privcheck.fixing._program import Program
from privcheck.fixing._search import other, search
from privcheck.fixing._source_text import SourceText

INIT = """\
import numpy as np


class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.epsilon = epsilon
        self.totals = [0.0] * arms
        self.plays = [0] * arms
        self.means = [0.5] * arms
        self.t = 0

"""

GREEDY = """\
    def select(self):
        return self.t % 2 if self.t < 8 else int(np.argmax(self.means))

"""

AGAIN = """\
    def update(self, action, reward):
        self.t += 1
        self.totals[action] += reward
        self.plays[action] += 1
        if self.t % 8 == 0:
            n = self.plays[action]
            self.means[action] = self.totals[action] / n + self.rng.laplace(0.0, 1.0 / (n * self.epsilon))
"""

RUNNING = INIT + GREEDY + AGAIN


def bandit(body, start=INIT + GREEDY):
    return f"{start}    def update(self, action, reward):\n" + "".join(f"        {line}\n" for line in body.split("\n"))


def proposed(text, setting=Setting()):  # noqa: B008 - a tuple
    """Return the finding in a program, and what is proposed for it, by name."""
    finding = look(text, "Bandit", setting)
    assert finding is not None
    return finding, {p.edit.name: p for p in proposals(Program(text, "Bandit"), finding, setting)}


def changed(before, after):
    """Return the lines that a patch takes out and puts in, without blanks around them."""
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line[0] + line[2:].strip() for line in lines if line[0] in "+-" and line[2:].strip()]


def holds(text, setting=Setting()):  # noqa: B008
    """Return whether a look finds nothing in two settings."""
    return look(text, "Bandit", setting) is None and look(text, "Bandit", other(setting)) is None


def built(text, seed=0, **keywords):
    module = types.ModuleType("of_a_test")
    exec(text, module.__dict__)
    return module.Bandit(np.random.default_rng(seed), **keywords)


# Noise

NOISES = {
    "a scale that is too small": (
        "self.means[action] = float(reward + self.rng.laplace(0.0, 0.1 / self.epsilon))",
        ["laplace", "more-noise"],
    ),
    "one that ignores epsilon": ("self.means[action] = float(reward + self.rng.laplace(0.0, 0.1))", ["laplace"]),
    "normal noise": ("self.means[action] = float(reward + self.rng.normal(0.0, 1.0 / self.epsilon))", ["laplace"]),
    "noise of a variable": (
        "noise = self.rng.laplace(scale=0.1)\nself.means[action] = float(reward + noise)",
        ["laplace"],
    ),
    "a location": ("self.means[action] = float(self.rng.laplace(reward, 0.1))", ["laplace"]),
    "a raw comparison": ("self.t += [0, 1][reward > 0.5]", ["noisy-read"]),
}


@pytest.mark.parametrize("name", NOISES)
def test_noise_is_made_right(name):
    body, names = NOISES[name]
    text = bandit(body)
    _, found = proposed(text)
    for each in names:
        assert found[each].edit.family == "noise"
        assert holds(found[each].text), changed(text, found[each].text)
        assert "1000" not in found[each].text


def test_the_scale_is_that_of_the_range_of_rewards():
    setting = Setting(rewards=(-1.0, 3.0))
    text = bandit("self.means[action] = float(reward + self.rng.laplace(0.0, 1.0 / self.epsilon))")
    _, found = proposed(text, setting)
    assert "laplace(0.0, 4.0 / self.epsilon)" in found["laplace"].text
    assert holds(found["laplace"].text, setting)


def test_a_mean_gets_the_noise_of_a_mean_and_not_of_a_sum():
    """The broken twin, a scale of 1/epsilon, is certified too, and has n times the noise."""
    text = bandit("self.totals[0] += reward\nself.t += 1\nself.t += [0, 1][self.totals[0] / self.t > 0.5]")
    _, found = proposed(text)
    assert "self.rng.laplace(0.0, 1.0 / (self.t * self.epsilon))" in found["noisy-read"].text


def test_what_the_constructor_lacks_is_added():
    text = bandit("self.means[action] = float(reward + self.rng.laplace(0.0, 0.1))")
    text = text.replace("arms=2, epsilon=1.0", "arms=2").replace("        self.epsilon = epsilon\n", "")
    _, found = proposed(text)
    assert "def __init__(self, rng, arms=2, epsilon=1):" in found["laplace"].text
    assert holds(found["laplace"].text)


@pytest.mark.parametrize(
    "drawn", ["random.gauss(0.0, 0.1)", "np.random.laplace(0.0, 0.1)", "self.own.laplace(0.0, 1.0)"]
)
def test_noise_of_other_generators_is_drawn_from_the_policys(drawn):
    text = "import random\n" + bandit(f"self.t += 1\nself.means[action] = float(reward + {drawn})")
    text = text.replace("self.rng = rng", "self.rng = rng\n        self.own = np.random.default_rng(7)")
    _, found = proposed(text)
    assert found["own-generator"].edit.family == "noise"
    for generator in ("random.gauss", "np.random.", "default_rng"):
        assert generator not in found["own-generator"].text


HELPERS = {
    "self.noise()": "\n    def noise(self):\n        return self.rng.laplace(0.0, 0.4 / self.epsilon)\n",
    "self.noise(0.4 / self.epsilon)": "\n    def noise(self, scale):\n        return self.rng.laplace(0, scale)\n",
    "noise(self.rng, 0.25)": "\n\ndef noise(rng, scale):\n    return scale * rng.laplace()\n",
}


@pytest.mark.parametrize("drawn", HELPERS)
def test_noise_that_a_method_or_a_function_draws_is_made_wide_enough(drawn):
    text = bandit(f"self.means[action] = float(reward + {drawn})") + HELPERS[drawn]
    finding, found = proposed(text)
    assert finding.kind == "first"
    line = "self.means[action] = float(reward + {})"
    now = f"+{line.format('self.rng.laplace(0.0, 1.0 / self.epsilon)')}"
    assert changed(text, found["laplace"].text) == [f"-{line.format(drawn)}", now]
    assert holds(found["laplace"].text)


def test_a_method_that_does_more_than_draw_stays():
    helper = "\n    def noise(self):\n        self.t += 1\n        return self.rng.laplace(0.0, 0.4 / self.epsilon)\n"
    _, found = proposed(bandit("self.means[action] = float(reward + self.noise())") + helper)
    assert "laplace" not in found


@pytest.mark.parametrize("seed", ["rng.integers(2**32)", "int(rng.integers(0, 2**32))", "int(2**32 * rng.random())"])
def test_a_generator_that_is_seeded_from_the_policys_gives_way_to_it(seed):
    text = bandit("self.t += 1\nself.means[action] = float(reward + self.own.laplace(0.0, 1.0 / self.epsilon))")
    text = text.replace("self.rng = rng", f"self.rng = rng\n        self.own = np.random.default_rng({seed})")
    _, found = proposed(text)
    assert changed(text, found["own-generator"].text) == [
        f"-self.own = np.random.default_rng({seed})",
        "+self.own = rng",
    ]
    assert holds(found["own-generator"].text)


@pytest.mark.parametrize("made", ["np.random.default_rng(rng)", "np.random.Generator(rng.bit_generator)"])
def test_a_generator_that_is_made_of_the_policys_stays(made):
    text = bandit("self.t += 1\nself.means[action] = float(reward + self.own.laplace(0.0, 0.5 / self.epsilon))")
    _, found = proposed(text.replace("self.rng = rng", f"self.rng = rng\n        self.own = {made}"))
    assert "own-generator" not in found


# Structure


def test_what_was_released_is_added_up():
    _, found = proposed(RUNNING)
    text = found["add-up"].text
    assert "self.means[action] = self._released_totals(action) / n" in text
    assert "self._public_totals = [0.0] * arms" in text
    assert holds(text)


def test_half_forgotten_is_not_forgotten():
    """Trap: the sum of one block over the number of all plays is certified, and never learns."""
    _, found = proposed(RUNNING)
    forgetting = found["forget"].text
    lines = changed(RUNNING, forgetting)
    assert "+self.totals[action] = 0" in lines
    assert "+self.plays[action] = 0" in lines
    assert holds(forgetting)
    half = forgetting.replace("            self.plays[action] = 0\n", "")
    assert half != forgetting
    assert holds(half), "the certificate does not see the twin"
    counted_elsewhere = RUNNING.replace("n = self.plays[action]", "n = self.t // 2")
    _, found = proposed(counted_elsewhere)
    assert "add-up" in found
    assert "forget" not in found, "there is no count to forget with it"


def test_noise_is_not_multiplied_at_a_later_release():
    """Trap: forty times the noise passes forty rounds, and no more."""
    finding, found = proposed(RUNNING)
    assert finding.kind == "again"
    assert not {"more-noise", "laplace"} & found.keys()
    noisy = "self.totals[0] + self.rng.laplace(0.0, 40.0 / self.epsilon)"
    fitted = bandit(f"self.totals[0] += reward\nself.means[0] = float({noisy})")
    assert look(fitted, "Bandit", Setting()) is None
    assert look(fitted, "Bandit", other(Setting())).kind == "again"


def test_a_scale_for_two_arms_or_one_epsilon_does_not_hold():
    for scale in ("2.0 / self.epsilon", "2.0"):
        fitted = bandit(
            "self.t += 1\nself.totals[action] += reward\nif self.t == 30:\n"
            f"    for arm in range(len(self.totals)):\n"
            f"        self.means[arm] = float(sum(self.totals) + self.rng.laplace(0.0, {scale}))"
        )
        assert look(fitted, "Bandit", Setting()) is None
        assert look(fitted, "Bandit", other(Setting())) is not None


def test_conditions_are_not_fed_with_means():
    """Trap: blocks of means fed to counts of successes stop them from learning; counts are released instead."""
    body = "self.t += 1\nif reward > 0.5:\n    self.totals[action] += 1\nself.plays[action] += 1"
    counting = bandit(body, INIT + GREEDY.replace("means", "totals"))
    _, found = proposed(counting)
    assert not {"released-blocks", "latest-released"} & found.keys()
    always = {each.edit.name: each for each in universal(Program(counting, "Bandit"), 0.0, 1.0, 1.0)}
    assert "(reward > 0.5) * 1.0" in always["noisy-counts"].text
    assert holds(always["noisy-counts"].text)
    linear = {each.edit.name for each in universal(Program(RUNNING, "Bandit"), 0.0, 1.0, 1.0)}
    assert "noisy-counts" not in linear
    policy = built(always["noisy-counts"].text, epsilon=1e6)
    for number in range(300):
        policy.update(0, 1.0 if number % 4 else 0.0)
    assert policy.totals[0] / policy.plays[0] == pytest.approx(0.75, abs=0.02)


def test_clocks_go_on_one_by_one():
    """Trap: `self.t == 16` is jumped over, and `t % arms` sticks, if rewards wait and are told in bulk."""
    clocked = bandit("self.t += 1\nself.seen = getattr(self, 'seen', []) + [self.t]\nself.totals[action] += reward")
    patches = {each.edit.name: each.text for each in universal(Program(clocked, "Bandit"), 0.0, 1.0, 1.0)}
    finding = Finding("comparison", "", 0, None, "")
    leak = look(
        clocked.replace("self.t % 2 if self.t < 8 else", "").replace("self.means", "self.totals"), "Bandit", Setting()
    )
    patches |= {
        p.edit.name: p.text
        for p in proposals(Program(clocked, "Bandit"), finding._replace(cause=leak.cause), Setting())
        if p.edit.family == "structure"
    }
    assert {"latest-block", "noisy-rewards", "released-blocks", "latest-released", "noisy-blocks"} <= patches.keys()
    ticks = {}
    for name, text in patches.items():
        policy = built(text)
        shown = []
        for _ in range(40):
            policy.update(0, 1.0)
            shown.append(policy.t)
        ticks[name] = shown == list(range(1, 41))
    assert not ticks.pop("noisy-blocks"), "this one tells rewards in bulk; regret decides"
    assert all(ticks.values()), ticks


@pytest.mark.parametrize("epsilon", [1e6])
def test_released_blocks_add_up_to_the_rewards_when_there_is_no_noise(epsilon):
    body = "self.t += 1\nself.totals[action] += reward\nself.plays[action] += 1"
    text = bandit(body, INIT + GREEDY.replace("means", "totals"))
    _, found = proposed(text)
    policy, rng = built(found["released-blocks"].text, epsilon=epsilon), np.random.default_rng(5)
    told = np.zeros(2)
    for number in range(1, 2**9):
        arm, reward = number % 2, rng.random()
        told[arm] += reward
        policy.update(arm, reward)
    assert np.array(policy.totals) == pytest.approx(told, abs=0.05 * 2**8)
    assert sum(policy.plays) == 2**9 - 1
    full = built(found["released-blocks"].text, epsilon=epsilon)
    for reward in [0.25] * 3:  # blocks of 1 and 2, with this epsilon
        full.update(0, reward)
    assert full.totals[0] == pytest.approx(0.75, abs=1e-3)
    waiting = built(found["released-blocks"].text, epsilon=1.0)
    waiting.update(0, 0.0)
    assert waiting.totals[0] == 1.0, "the highest reward, before the first block of an arm is full"


# Text

AWKWARD = '''\
"""Bändit."""
import numpy as np

class Other:
    def __init__(self): self.sums = np.zeros(3)

class Bandit:
    """Ünïcode."""  # ö

    def __init__(self, rng, arms=2, *, epsilon=1.0, **rest):
        self.rng, self.k, self.ε = rng, arms, epsilon; self._learn = "é"  # ä
        self.t, self.sums, self.n = 0, np.zeros(arms), np.zeros(arms)

    def select(self):
        if self.t < self.k: return self.t
        return int(np.argmax(self.sums / self.n + np.sqrt(np.log(self.t) / self.n)))

    def update(self, a, r):
        self.t += 1; self.sums[a] += r; self.n[a] += 1  # ü
'''


def test_text_is_kept_outside_of_what_is_changed(tmp_path):
    """Traps: bytes and characters, CRLF, `a; b`, tuple targets, names that are taken, classes beside it."""
    (tmp_path / "bandit.py").write_bytes(AWKWARD.replace("\n", "\r\n").encode())
    source = SourceText.read(tmp_path / "bandit.py")
    found = search(source, "Bandit", Setting(), looks=14)
    assert len(found.patches) >= 3
    for patch in found.patches:
        assert patch.text.count("\n") == patch.text.count("\r\n")
        assert source.encoded(patch.text).decode() == patch.text
        kept = difflib.ndiff(source.text.split("\r\n"), patch.text.split("\r\n"))
        gone = [line[2:] for line in kept if line.startswith("- ")]
        assert all("def update" in line or "+= r" in line or "np." in line or "_learn" in line for line in gone), gone
        assert "def __init__(self): self.sums = np.zeros(3)" in patch.text, "the other class is not touched"
        if "_learn_2" in patch.text:
            assert "def _learn(" not in patch.text
    assert any("_learn_2" in patch.text for patch in found.patches)


@pytest.mark.parametrize("slots", ['("rng", "n", "sums")', '["rng", "n", "sums"]'])
def test_what_a_patch_sets_has_a_slot(slots):
    text = (
        f"import numpy as np\n\n\nclass Bandit:\n    __slots__ = {slots}\n\n    def __init__(self, rng, arms=2):\n"
        "        self.rng, self.n, self.sums = rng, np.zeros(arms), np.zeros(arms)\n\n    def select(self):\n"
        "        return int(np.argmin(self.n)) if self.n.min() < 1 else int(np.argmax(self.sums / self.n))\n\n"
        "    def update(self, action, reward):\n        self.n[action] += 1\n        self.sums[action] += reward\n"
    )
    patches = [*universal(Program(text, "Bandit"), 0.0, 1.0, 1.0), *proposed(text)[1].values()]
    assert len(patches) > 4
    for patch in patches:
        names = {}
        exec(patch.text, names)
        policy = names["Bandit"](np.random.default_rng(0))
        for reward in (1.0, 0.0) * 20:
            policy.update(policy.select(), reward)
        assert not hasattr(policy, "__dict__")
    plain = text.replace(f"    __slots__ = {slots}\n\n", "")
    assert "__slots__" not in "".join(patch.text for patch in universal(Program(plain, "Bandit"), 0.0, 1.0, 1.0))
