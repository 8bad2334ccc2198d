"""The line that a leak advises to paste: where it is printed it runs without a leak, and where none would, none is."""

from __future__ import annotations

import linecache
import math
import statistics

import numpy as np
import pytest

import privcheck
from privcheck.private_values import LeakError, PrivateSource
from privcheck.private_values._replacements import replacement

# what leaks, and what is advised in its place
APPLIES = {
    "x = 1 if r > 0.5 else 0": "x = np.where(r > 0.5, 1, 0)",
    "x = 2.0 * (r if r > 0.5 else 1 - r)": "x = 2.0 * np.where(r > 0.5, r, 1 - r)",
    "x = max(0.5, r)": "x = privcheck.clip(r, 0.5, None)",
    "x = min(1, max(0.5, r))": "x = privcheck.clip(r, 0.5, 1)",
    "x = max(min(r, 0.75), 0.25) + s": "x = privcheck.clip(r, 0.25, 0.75) + s",
    "x = float(r)": "x = r",
    "x = float(r + s)": "x = r + s",
    "x = math.exp(r)": "x = np.exp(r)",
    "x = math.sqrt(r) + s": "x = np.sqrt(r) + s",
    "x = math.fsum([r, s])": "x = sum([r, s])",
    "x = statistics.mean([r, s])": "x = np.mean([r, s])",
    "x = statistics.fmean([r, s])": "x = np.mean([r, s])",
    "t[0] += r": "t = privcheck.zeros(np.shape(t))",
    "t[0] = r + s": "t = privcheck.zeros(np.shape(t))",
    "m[0][1] -= r": "m = privcheck.zeros(np.shape(m))",
    "p.sums[1] = 2 * r": "p.sums = privcheck.zeros(np.shape(p.sums))",
    "x = float(r + s + np.random.laplace(0, 2))": "x = r + s + rng.laplace(0, 2)",
    "x = v / max(1.0, np.linalg.norm(v))": "x = privcheck.clip_norm(v, 1.0)",
    "x = v / max(np.linalg.norm(v), 1)": "x = privcheck.clip_norm(v, 1)",
    "x = v / np.maximum(1, np.linalg.norm(v))": "x = privcheck.clip_norm(v, 1)",
    "x = v / max(1.0, np.linalg.norm(v) / 0.25)": "x = privcheck.clip_norm(v, 0.25)",
    "x = v * min(1.0, 0.25 / np.linalg.norm(v))": "x = privcheck.clip_norm(v, 0.25)",
    "x = min(1, 0.25 / np.linalg.norm(v)) * v": "x = privcheck.clip_norm(v, 0.25)",
    "x = v / max(1.0, np.sqrt(v @ v))": "x = privcheck.clip_norm(v, 1.0)",
    "x = v / max(1, np.sqrt(np.sum(v ** 2)))": "x = privcheck.clip_norm(v, 1)",
    "x = v / np.linalg.norm(v)": "x = privcheck.clip_norm(v, 1.0)",
}

OF_NORMS = {line: advised for line, advised in APPLIES.items() if "clip_norm" in advised}

# what leaks, of which the advice that was once printed leaks again, fails, or is about something else
DOES_NOT = {
    "t[0] += r + s > 0.5": "a comparison of a sum is no question of the array",
    "t[0] += 1 if r + s > 0.5 else 0": "the same",
    "t[0] = abs(r)": "a function",
    "t[0] += int(r)": "int() reads it before the array does",
    "t[0] = math.floor(r)": "a function",
    "q[0] = int(r)": "a list takes private values",
    "if r > 0.5:": "(r > 0.5) * 1.0 is no line to paste: what is done then stands in other lines",
    "while 0.5 < r:": "the same",
    "if r + s > 0.5:": "a comparison of a sum is no indicator",
    "if not r > 0.5:": "`not` reads the comparison",
    "if r > 0.5 and s > 0.5:": "`and` reads it",
    "if 0.2 < r < 0.9:": "so does a chain",
    "if r:": "no comparison",
    "x = 1 if not r > 0.5 else 0": "np.where would get what `not` has read",
    "x = 1 if r > 0.5 or s > 0.5 else 0": "the same of `or`",
    "x = 1 if r + s > 0.5 else 0": "the comparison itself leaks",
    "x = 1 if 0.2 < r < 0.9 else 0": "a chain",
    "x = 1 if r in [0.5, 1.0] else 0": "`in` reads it",
    "x = max(s, min(1, r))": "the outer max stays, and compares",
    "x = max(min(1, r), min(1, s))": "the same",
    "x = max(0.5, r + s)": "a sum cannot be clipped",
    "x = sorted([r, max(0.5, s)])": "sorted compares",
    "x = math.exp(r + s)": "a function of a sum leaks in numpy, too",
    "x = int(r)": "no function of numpy stays private",
    "x = int(float(r))": "int() would read what float() does not any more",
    "x = max(float(r), 0.5)": "max would",
    "x = r ** 2 if r + s > 1 else float(s)": "the comparison is read first",
    "if max(0.5, r + s) + np.random.laplace(0, 2) > 0.5:": "max compares before the noise is added",
    "x = [v for v in [r, s] if v > 0.5]": "a condition of a comprehension",
    "assert r > 0.5": "an assertion",
    "x = v / max(2.0, np.linalg.norm(v))": "that is a clip to norm 2, and half of it",
    "x = v / max(1.0, np.linalg.norm(w))": "the norm of another vector",
    "x = v / max(1.0, np.linalg.norm(v, 1))": "the L1 norm",
    "x = v * min(2.0, 0.25 / np.linalg.norm(v))": "makes a short vector longer",
    "x = (v + w) / max(1.0, np.linalg.norm(v + w))": "a sum of two data cannot be clipped",
}


class Holder:
    """Has an ordinary array."""

    def __init__(self):
        self.sums = np.zeros(2)


def values():
    """Return a session's leaks, and names for the lines."""
    leaks = []
    source = PrivateSource(on_leak=leaks.append)
    rng = np.random.default_rng(0)
    names = {"np": np, "math": math, "statistics": statistics, "privcheck": privcheck, "rng": rng}
    names |= {
        "t": np.zeros(2),
        "m": np.zeros((2, 2)),
        "q": [0.0],
        "p": Holder(),
        "r": source.scalar(0.75, 0.0, 1.0, datum=1),
    }
    names |= {"v": source.vector([0.6, 0.8], -1.0, 1.0, data=1), "w": source.vector([0.5, 0.5], -1.0, 1.0, data=2)}
    return names | {"s": source.scalar(0.25, 0.0, 1.0, datum=2)}


def whole(line):
    return (
        f"{line} pass"
        if line.endswith(":") and "while" not in line
        else f"{line} break"
        if line.endswith(":")
        else line
    )


def leak_of(line, names, name="<policy>"):
    """Run a line as that of a policy, and return the leak; None if there is none."""
    linecache.cache[name] = (len(line), None, [line + "\n"], name)
    try:
        exec(compile(whole(line), name, "exec"), names)
    except LeakError as error:
        return error.leak
    finally:
        del linecache.cache[name]
    return None


@pytest.mark.parametrize("line", APPLIES)
def test_advice_that_is_printed_applies(line):
    names = values()
    leak = leak_of(line, names)
    expected = APPLIES[line]
    assert leak is not None
    assert leak.hint.endswith(f": {expected}"), leak.hint
    names = values()
    if "laplace" in expected:
        from privcheck.certifying._session import Session
        from privcheck.privacy import relation

        session = Session(relation("row"), (0.0, 1.0), 9.0, np.random.default_rng(1), round=1)
        names |= {"rng": session.generator(np.random.default_rng(0)), "r": session.reward(0.75, 0)}
        names["s"] = session.reward(0.25, 0)
    assert leak_of(expected, names) is None
    if "zeros" in expected:
        assert leak_of(line, names) is None, "with the array in its place the line itself stays private"


@pytest.mark.parametrize("line", DOES_NOT)
def test_no_line_is_printed_where_none_applies(line):
    leak = leak_of(line, values())
    assert leak is not None, "it leaks"
    for made in ("privcheck.zeros(np", "np.where(", "privcheck.clip(", "* 1.0\n", "rng.", ": x =", ": if ", "(v"):
        assert made not in f"{leak.hint}\n".replace("(value > limit) * 1.0 stays", ""), leak.hint


@pytest.mark.parametrize("line", [line for line in OF_NORMS if line != "x = v / np.linalg.norm(v)"])
@pytest.mark.parametrize("length", [0.0, 0.125, 0.25, 1.0, 3.0])
def test_the_clip_that_is_advised_is_the_one_that_was_written(line, length):
    place = {"np": np, "math": math, "privcheck": privcheck, "v": length * np.array([0.6, -0.8])}
    found = []
    for code in (line, OF_NORMS[line]):
        with np.errstate(divide="ignore"):
            exec(code, place)
        found.append(place["x"])
    np.testing.assert_allclose(*found, rtol=1e-12)


def test_a_norm_that_is_taken_in_a_line_of_its_own_leads_to_the_clip():
    leak = leak_of("n = np.linalg.norm(v)", values())
    assert "privcheck.clip_norm(x, 1.0)" in leak.hint
    assert "through a mechanism" not in leak.hint, "a context need not be released to be clipped"


def test_randomised_response_is_advised_for_bits_alone():
    """The broken twin compared the Generator's method with one half."""
    line = "x = r if rng.random() < 0.75 else 1 - r"
    assert replacement(line, kind="coin") == "x = np.where(rng.random() < 0.75, r > 0.5, 1 - (r > 0.5))"
    assert replacement("x = r if rng.random() < 0.75 else rng.integers(2)", kind="coin") == ""
    assert replacement("x = r if not rng.random() < 0.75 else 1 - r", kind="coin") == ""


def test_functions_that_a_generator_does_not_have_are_not_advised():
    assert replacement("x = float(r + random.gauss(0, 1))", "rng") == "x = r + random.gauss(0, 1)"
    assert "scale" not in replacement("x = float(r + rng.uniform(-1, 1))", "rng")


def test_noise_is_advised_to_come_from_the_generator_of_the_policy():
    line, kind = "if r + s + np.random.laplace(0, 2) > 0.5:", "comparison"
    assert replacement(line, "rng", kind) == "if r + s + rng.laplace(0, 2) > 0.5:"
    assert replacement("if not r + np.random.laplace(0, 2) > 0.5:", "rng", kind) == ""
