"""Broken twins of printed statements: one constant moved by 2 %, ten of each paper, and a point where that is false.

They were chosen, and the points found, before the search was run on them: by random points and by the simplex method on
an evaluation that shares no code with the search.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import mpmath

from privcheck.claims import CLAIMS, Expression, Reading, Relation

UP, DOWN = Fraction(51, 50), Fraction(49, 50)


@dataclass(frozen=True)
class Twin:
    """A reading of a claim in which one constant is multiplied by a factor.

    Parameters
    ----------
    claim, reading : the id, and the number of the reading.
    side, path : where the constant stands: the side, and the number of the operand at each step down; an expression
        that is no constant is multiplied as a whole, as a factor 1 that is not written.
    factor : what it is multiplied by.
    point : where the twin is false.
    """

    claim: str
    reading: int
    side: str
    path: tuple[int, ...]
    factor: Fraction
    point: dict[str, str]

    @property
    def printed(self) -> Reading:
        """The reading as it is printed."""
        return CLAIMS[self.claim].readings[self.reading]

    @property
    def constant(self) -> str:
        """The constant as it is printed."""
        node = getattr(self.printed.says, self.side)
        for step in self.path:
            node = node.operands[step]
        return str(node.value) if node.operation == "constant" else "1"

    @property
    def moved(self) -> Reading:
        """The twin."""
        of = self.printed
        sides = {"left": of.says.left, "right": of.says.right}
        sides[self.side] = _moved(sides[self.side], self.path, self.factor)
        return Reading("twin", of.variables, Relation(sides["left"], of.says.sense, sides["right"]), of.assumes, False)


def _moved(node: Expression, path: tuple[int, ...], factor: Fraction) -> Expression:
    if path:
        operands = list(node.operands)
        operands[path[0]] = _moved(operands[path[0]], path[1:], factor)
        return Expression(node.operation, tuple(operands), node.value)
    return Expression("constant", (), node.value * factor) if node.operation == "constant" else factor * node


def _number(value: Fraction | str):
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


OPERATIONS = {
    "add": lambda x, y: x + y, "subtract": lambda x, y: x - y, "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y, "power": lambda x, y: x**y, "exp": mpmath.exp, "log": mpmath.log,
    "log2": lambda x: mpmath.log(x, 2), "sqrt": mpmath.sqrt, "absolute": abs, "ceiling": mpmath.ceil,
    "minimum": min, "maximum": max, "choose": mpmath.binomial, "normal_below": mpmath.ncdf,
    "entropy_term": lambda x: x * mpmath.log(x) if x else mpmath.mpf(0),
}  # fmt: skip


def value(node: Expression, at: dict):
    """Return an expression at a point in 50 digits; it shares no code with the arithmetics of the package."""
    if node.operation == "constant":
        return _number(node.value)
    if node.operation == "variable":
        return at[node.value]
    if node.operation == "total":
        first, last = (round(value(end, at)) for end in node.operands[:2])
        return mpmath.fsum(value(node.operands[2], at | {node.value: mpmath.mpf(k)}) for k in range(first, last + 1))
    if node.operation == "where_negative":
        return value(node.operands[1 if value(node.operands[0], at) < 0 else 2], at)
    return OPERATIONS[node.operation](*(value(part, at) for part in node.operands))


def fails(reading: Reading, point: dict[str, str]) -> bool:
    """Whether a point is in the domain, meets the conditions and contradicts a reading, in 50 digits."""
    with mpmath.workdps(50):
        at = {name: _number(given) for name, given in point.items()}
        inside = all(of.has(Fraction(point[of.name])) for of in reading.variables)
        for given in reading.assumes:
            left, right = value(given.left, at), value(given.right, at)
            met = {"<=": left <= right, ">=": left >= right, "<": left < right, "==": left == right}
            inside = inside and met[given.sense]
        left, right = value(reading.says.left, at), value(reading.says.right, at)
        beyond = mpmath.mpf(10) ** -40 * max(abs(left), abs(right))
        off = {"<=": left - right, ">=": right - left, "==": abs(left - right)}[reading.says.sense]
        return bool(inside and off > beyond)


TWINS = (
    Twin("azize-basu-2022/thm2-constant", 0, "right", (), UP, {}),
    Twin("azize-basu-2022/eq14", 0, "left", (0, 0, 0, 0, 0, 0), UP, {"p": "0.998799", "T": "9", "epsilon": "0.414235"}),
    Twin("azize-basu-2022/eq31", 0, "right", (0,), DOWN, {"phi": "132", "pulls": "131"}),
    Twin(
        "azize-basu-2022/thm1",
        0,
        "left",
        (0, 0, 0),
        DOWN,
        {"y_1": "-10.0727", "y_2": "-9.99753", "c_1": "4.98035", "c_2": "5.00728", "s": "9.988", "epsilon": "0.608426"},
    ),
    Twin("azize-basu-2022/thm3", 0, "left", (0, 0), UP, {"p": "0.979315", "q": "0.979527", "epsilon": "0.0105021"}),
    Twin("azize-basu-2022/thm2-pulls", 0, "right", (1,), UP, {"T": "23", "N_2": "11.5", "N_3": "11.5"}),
    Twin("azize-basu-2022/thm11-last", 0, "right", (0,), DOWN, {"alpha": "3.01281", "K": "2"}),
    Twin("azize-basu-2022/eq33b", 0, "right", (0,), DOWN, {"ratio": "0.000116363"}),
    Twin("azize-basu-2022/thm11-integral", 0, "left", (1, 0, 1), UP, {"alpha": "3.03", "K": "4"}),
    Twin("azize-basu-2022/thm12-split", 0, "left", (0,), UP, {"Delta": "2.41937e-16", "epsilon": "18.7893"}),
    Twin("hu-2021/fact17a", 0, "right", (0, 0, 0), UP, {"n": "2", "mu": "7.56009e-06", "lambda": "0.999977"}),
    Twin("hu-2021/eq21", 0, "left", (0, 0, 0), DOWN, {"y": "-147.884", "change": "0.739752", "epsilon": "4.76635"}),
    Twin("hu-2021/eq24", 1, "left", (0, 1), DOWN, {"d": "5", "p": "1.0495e-09"}),
    Twin("hu-2021/lem6", 0, "left", (0, 1), DOWN, {"y": "1.18021e-10", "u": "0.720177"}),
    Twin(
        "hu-2021/lem24-sum",
        0,
        "right",
        (0,),
        DOWN,
        {"rounds": "1.49678", "Delta": "2.19851e-10", "epsilon": "0.142766"},
    ),
    Twin("hu-2021/thm9-exp", 0, "right", (0,), DOWN, {"x": "1.23568e-06"}),
    Twin("hu-2021/thm9-lambda", 0, "left", (1,), UP, {"size": "1"}),
    Twin("hu-2021/cor10a", 0, "left", (2, 0), UP, {"last": "53"}),
    Twin("hu-2021/asz", 0, "right", (0, 0), UP, {"M": "99.3598", "growth": "98.3586"}),
    Twin("hu-2021/fact16", 0, "left", (0, 0, 0), UP, {"delta": "4.15576e-21", "b": "1.04176"}),
    Twin("chen-2020/thm8-harmonic", 0, "left", (2, 0), UP, {"n": "1"}),
    Twin("chen-2020/thm8-logarithm", 1, "right", (0,), DOWN, {"log_T": "1"}),
    Twin("chen-2020/thm8-means", 0, "right", (0,), UP, {"a": "10.0102", "b": "10.0102"}),
    Twin("chen-2020/thm5-small", 0, "left", (1, 1), DOWN, {"epsilon": "5.55145e-14"}),
    Twin("chen-2020/thm9-sum", 0, "left", (1,), DOWN, {"ratio": "0.979974"}),
    Twin("chen-2020/least-pulled", 0, "right", (0,), UP, {"n_1": "29", "n_2": "1", "T": "15", "epsilon": "2.307"}),
    Twin("chen-2020/fact1a", 0, "right", (1, 0), DOWN, {"larger": "6.12428", "share": "4.23516e-21"}),
    Twin("chen-2020/fact1b", 0, "right", (0,), DOWN, {"larger": "0.457389", "share": "1"}),
    Twin(
        "chen-2020/thm1",
        0,
        "right",
        (),
        DOWN,
        {"x_1": "0.999977", "x_2": "0.999983", "y_1": "1.30982e-06", "y_2": "0.000171979"},
    ),
    Twin("chen-2020/thm3", 0, "right", (), DOWN, {"x_1": "1.26207e-05", "x_2": "0.999996"}),
    Twin("shariff-sheffet-2018/claim20", 1, "left", (0,), UP, {"H": "11.2777", "rho": "1.63126", "c": "1.56715e-13"}),
    Twin("shariff-sheffet-2018/frobenius", 1, "right", (), DOWN, {"u": "0.999999"}),
    Twin("shariff-sheffet-2018/claim14-postulated", 1, "right", (), DOWN, {"mu": "0.999979", "Delta": "2.69496e-06"}),
    Twin("shariff-sheffet-2018/cor15-max", 0, "left", (1,), DOWN, {"ratio": "0.980003"}),
    Twin(
        "shariff-sheffet-2018/prop4-det",
        0,
        "right",
        (1,),
        UP,
        {"g_1": "0.00107484", "g_2": "0.000251005", "t": "16", "L": "0.00953436", "rho": "0.0962231"},
    ),
    Twin(
        "shariff-sheffet-2018/lem22-second",
        0,
        "right",
        (1,),
        UP,
        {"n": "47", "L": "0.0114992", "u_1": "0.0531974", "u_2": "0.0703695"},
    ),
    Twin("shariff-sheffet-2018/thm6-sum", 0, "right", (0, 1), UP, {"r": "0.00732095", "Delta": "0.00732088"}),
    Twin("shariff-sheffet-2018/subgaussian", 0, "right", (0, 1), UP, {"p": "0.557569", "lambda": "-0.287382"}),
    Twin(
        "shariff-sheffet-2018/lower-volumes",
        0,
        "right",
        (1, 1, 1),
        UP,
        {
            "h_11": "7.06384",
            "h_22": "7.20536",
            "h_12": "5.82089",
            "rho_min": "1.31239",
            "x_1": "-5.22856",
            "x_2": "4.97506",
        },
    ),
    Twin(
        "shariff-sheffet-2018/upsilon",
        0,
        "left",
        (1, 0, 0),
        UP,
        {"m": "1", "d": "4", "n": "10", "L": "1", "epsilon": "1", "delta": "0.5", "alpha": "0.5"},
    ),
    Twin("jourdan-azize-2025/factor", 0, "right", (), DOWN, {"eta": "0.999999"}),
    Twin(
        "jourdan-azize-2025/regime",
        0,
        "right",
        (1, 0, 0),
        UP,
        {"p": "0.0500102", "q": "0.0500104", "z": "0.0500102", "epsilon": "4.10307"},
    ),
    Twin(
        "jourdan-azize-2025/convex",
        0,
        "right",
        (1,),
        UP,
        {"p": "0.178638", "q": "0.214028", "z": "0.798388", "z_2": "0.798387", "epsilon": "2.69007"},
    ),
    Twin("jourdan-azize-2025/group-zcdp", 0, "left", (0, 1), UP, {"distance": "8.50211e+42", "rho": "1.46013e+38"}),
    Twin(
        "jourdan-azize-2025/range",
        0,
        "left",
        (0, 0, 0),
        DOWN,
        {
            "level": "-31.4305",
            "a": "5.76003",
            "b_minus_a": "3.33689e-11",
            "share": "0.000825118",
            "share_2": "0.999911",
            "epsilon": "0.194715",
        },
    ),
    Twin("jourdan-azize-2025/ratio", 0, "right", (), UP, {}),
    Twin("jourdan-azize-2025/lem43-weights", 0, "right", (), UP, {"w": "1.04896e-06"}),
    Twin("jourdan-azize-2025/linear-in-arms", 0, "left", (0, 0), UP, {"K": "2", "v": "0.391036"}),
    Twin("jourdan-azize-2025/factor-reduced", 0, "left", (0, 0, 0), UP, {"eta": "0.5"}),
    Twin("jourdan-azize-2025/group", 0, "right", (), DOWN, {"distance": "1", "epsilon": "8"}),
)
