"""Randomised response with `if`, and scores in a list with one-sided noise: what they are charged, and their twins."""

from __future__ import annotations

import math

import pytest

from tests.certifying.translated_programs import guarded, loaded, source

P = "0.75"
LN3 = math.log(3.0)
BIT = "bit = 1 if r > 0.5 else 0\n"
ANSWERS = {
    "a choice": BIT + f"self.s += bit if self.rng.random() < {P} else 1 - bit",
    "if and else": BIT + f"if self.rng.random() < {P}:\n    y = bit\nelse:\n    y = 1 - bit\nself.s += y",
    "return": BIT + "self.s += self.answer(bit)",
    "return without else": BIT + "self.s += self.other(bit)",
    "a coin with a name": BIT + f"coin = self.rng.random() < {P}\ny = bit if coin else 1 - bit\nself.s += y",
    "the coin the other way round": BIT + f"y = 1 - bit if self.rng.random() > {P} else bit\nself.s += y",
    "bools": f"bit = r > 0.5\ny = bit if self.rng.random() < {P} else not bit\nself.s += y",
    "floats": f"bit = 1.0 if r > 0.5 else 0.0\ny = bit if self.rng.random() < {P} else 1.0 - bit\nself.s += y",
    "an index": BIT + f"y = bit if self.rng.random() < {P} else 1 - bit\nself.x += TABLE[y]",
}
MORE = f"""\
def answer(self, bit):
    if self.rng.random() < {P}:
        return bit
    else:
        return 1 - bit

def other(self, bit):
    if self.rng.random() < {P}:
        return bit
    return 1 - bit
"""


def run(lines, folder, budget=None, read="self.s", **options):
    return guarded(loaded(source(lines, read=read, more=MORE), folder), budget, **options)


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_charged_its_log_ratio_and_refused_where_it_is_too_true(name, tmp_path):
    session = run(ANSWERS[name], tmp_path)
    assert (session.leaks, session.refusals) == ([], [])
    assert session.ledger.epsilon == pytest.approx(LN3)
    assert run(ANSWERS[name], tmp_path, LN3 * 0.99).refusals


TWINS = {
    "twice by one coin": BIT + f"c = self.rng.random() < {P}\ny = bit if c else 1 - bit\n"
    "z = bit if c else 1 - bit\nself.s += y + z",
    "the coin is shown": BIT + f"c = self.rng.random() < {P}\ny = bit if c else 1 - bit\nself.s += y + (2 if c else 3)",
    "the coin was read": BIT + f"c = self.rng.random() < {P}\nself.x = int(c)\ny = bit if c else 1 - bit\nself.s += y",
    "the type tells the coin": f"bit = r > 0.5\ny = bit if self.rng.random() < {P} else 1 - bit\nself.s += y",
    "an integer or a float": f"bit = 1.0 if r > 0.5 else 0\ny = bit if self.rng.random() < {P} else 1.0 - bit\n"
    "self.s += y",
    "a bool or an integer": f"bit = (r > 0.5) and 1\ny = bit if self.rng.random() < {P} else 1 - bit\nself.s += y",
    "kept in a sum": f"bit = 0\nif r > 0.5:\n    bit += 1.0\ny = bit if self.rng.random() < {P} else 1 - bit\n"
    "self.s += y",
    "always true": BIT + "y = bit if self.rng.random() < 1.0 else 1 - bit\nself.s += y",
    "one answer is public": BIT + f"y = bit if self.rng.random() < {P} else 1\nself.s += y",
    "no bit": f"y = r if self.rng.random() < {P} else 1.0 - r\nself.s += y",
    "history": BIT + f"self.x = self.x + bit\nx = self.x\ny = x if self.rng.random() < {P} else 1 - x\nself.s += y",
    "the second answer does more": BIT + f"v = []\n"
    f"y = bit if self.rng.random() < {P} else v.append(1) or 1 - bit\nself.s += y",
}  # fmt: skip


@pytest.mark.parametrize("name", TWINS)
def test_what_is_no_randomised_response_is_refused(name, tmp_path):
    session = run(TWINS[name], tmp_path, read="self.s.hex()")
    assert session.leaks or session.refusals


def test_a_coin_that_chooses_public_numbers_is_a_coin(tmp_path):
    session = run("a = 1\nb = 0\nself.s += a if self.rng.random() < 0.5 else b", tmp_path)
    assert (session.leaks, session.refusals, session.ledger.epsilon) == ([], [], 0.0)


SCORES = {
    "a list": "scores = [x + self.rng.exponential(2.0) for x in self.sums]\nself.arm = np.argmax(scores)",
    "a tuple": "scores = tuple(x + self.rng.gumbel(0.0, 2.0) for x in self.sums)\nself.arm = np.argmax(scores)",
    "one after the other": "scores = []\nfor x in self.sums:\n    scores.append(x + self.rng.exponential(2.0))\n"
    "self.arm = np.argmax(scores)",
    "the smallest": "scores = [x - self.rng.exponential(2.0) for x in self.sums]\nself.arm = np.argmin(scores)",
}  # fmt: skip
START = "self.sums = [r, 0.5 * r, 1.0 - r]\n"


@pytest.mark.parametrize("name", SCORES)
def test_one_sided_noise_is_added_score_by_score(name, tmp_path):
    """The differences of the scores move by 2 at most, so each round costs 2 / 2."""
    session = run(START + SCORES[name], tmp_path, read="0.0")
    assert (session.leaks, session.refusals) == ([], [])
    assert session.ledger.epsilon == pytest.approx(1.0)
    assert run(START + SCORES[name].replace("2.0)", "1.0)"), tmp_path, 1.000001, read="0.0").refusals


BROKEN = {
    "one draw for all": "z = self.rng.exponential(2.0)\nself.arm = np.argmax([x + z for x in self.sums])",
    "two scales": "self.arm = np.argmax([x + self.rng.exponential(2.0 + i) for i, x in enumerate(self.sums)])",
    "a score without noise": "self.arm = np.argmax([self.sums[0], self.sums[1] + self.rng.exponential(2.0)])",
    "read before": "s = [x + self.rng.exponential(2.0) for x in self.sums]\nself.arm = s.index(max(s))",
    "read after": "s = [x + self.rng.exponential(2.0) for x in self.sums]\n"
    "self.arm = np.argmax(s)\nself.x = f'{s[0]}'",
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_other_noise_in_a_list_is_refused(name, tmp_path):
    session = run(START + BROKEN[name], tmp_path, read="0.0")
    assert session.leaks or session.refusals
