"""Our own privacy tests: the marks of the plugin on every shipped algorithm, as somebody who uses it writes them."""

from pathlib import Path

import pytest

from privcheck.bandits import ALGORITHMS

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]

pytest_plugins = ["pytester"]

PUBLISHED = "rnm-ftnl-published"
PRIVATE = [name for name in ALGORITHMS if ALGORITHMS[name].budget_name() == "epsilon"]
OTHERS = [name for name in ALGORITHMS if not ALGORITHMS[name].private]
WHY = "a verdict at 1e-6 on each private algorithm"
FEW = ["adap-ucb", "dp-ucb", PUBLISHED], ["ucb", "kl-ucb"]

SUITE = """
import importlib.util
from pathlib import Path

import pytest

from privcheck.bandits import ALGORITHMS

def declared(name):
    file = Path(AUDITS) / (name.replace("-", "_") + ".py")
    spec = importlib.util.spec_from_file_location("declared_" + file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.AUDIT

# first batches of one reward, and a stop after a few: all of its lines run in a few rounds
CERTIFIED = {"dp-exact-tt": "dp-exact-tt(first=1, delta=0.49)"}

def claimed(name):
    audit = declared(name)
    # with a budget of 1 the few runs of the plugin see nothing of these two
    return audit, 4.0 if name in ("adap-kl-ucb", "dp-ucb") else audit.epsilon

def audited(name):
    audit, epsilon = claimed(name)
    # Wishart noise has a least size, whatever the budget: 5000 runs see nothing of it
    runs = {"runs": 25_000} if name.startswith("lin-ucb-wishart") else {}
    return pytest.param(name, marks=pytest.mark.privacy(epsilon, **audit.played | runs))

def warmed_up(name, epsilon, arms, least):
    cls, rounds = ALGORITHMS[name], 0
    while rounds < least:  # the warm-up may depend on the horizon
        rounds, values = least, {"arms": arms, "epsilon": epsilon, "horizon": least, "features": 2}
        values |= {"delta": 0.1} if cls.approximate else {}
        least = cls(**{key: value for key, value in values.items() if cls.declares(key)}).warm_up()
    return rounds

def released(name):
    audit, epsilon = claimed(name)
    arms = audit.played.get("arms", 2)
    rounds = warmed_up(name, epsilon, arms, audit.played.get("horizon", 8))
    delta = {key: value for key, value in audit.played.items() if key == "delta"}
    runs, rounds = (12, 16) if name in CERTIFIED else (3, rounds)
    marks = pytest.mark.certified(epsilon, arms=arms, horizon=rounds, runs=runs, **delta)
    return pytest.param(CERTIFIED.get(name, name), id=name, marks=marks)

def exposed(name):
    rounds = warmed_up(name, None, 2, 7) + 1  # the rewards of the warm-up decide the next action
    return pytest.param(name, marks=pytest.mark.privacy(1.0, arms=2, horizon=rounds))

@pytest.mark.parametrize("name", [audited(name) for name in PRIVATE])
def test_audited(name):
    return name

@pytest.mark.parametrize("target", [released(name) for name in PRIVATE])
def test_certified(target):
    return target

@pytest.mark.parametrize("name", [exposed(name) for name in OTHERS])
def test_not_private(name):
    return name

@pytest.mark.certified(1.0, arms=2, horizon=8, runs=3)
def test_not_released():
    return "ucb"
"""


@pytest.mark.parametrize(
    ("private", "others"),
    [
        pytest.param(*FEW, marks=pytest.mark.chance(3e-6, WHY), id="a few"),
        pytest.param(PRIVATE, OTHERS, marks=pytest.mark.chance(3e-5, WHY), id="every one"),
    ],
)
def test_every_private_algorithm_passes_but_the_published_one_and_no_other_does(
    imported, plugin, pytester, private, others
):
    """Each is audited with the options of its own declared audit, but with the few runs that the plugin chooses."""
    names = f"AUDITS, PRIVATE, OTHERS = {str(Path(__file__).parents[2] / 'audits')!r}, {private!r}, {others!r}\n"
    pytester.makepyfile(test_ours=names + SUITE)
    result = pytester.runpytest_inprocess(*plugin, "-p", "no:cacheprovider", "--strict-markers")
    failed = {line.split(" - ")[0].split("::")[1] for line in result.outlines if line.startswith("FAILED")}
    wrong = {f"test_audited[{PUBLISHED}]", f"test_certified[{PUBLISHED}]", "test_not_released"}
    assert failed == wrong | {f"test_not_private[{name}]" for name in others}
    result.assert_outcomes(passed=2 * len(private) - 2, failed=3 + len(others))
    result.stdout.fnmatch_lines_random(
        [
            f"test_audited?{PUBLISHED}?: violation: the claim epsilon = 1 is refuted at level 1e-06; *",
            f"test_certified?{PUBLISHED}?: not certified: *",
            "test_not_private?ucb?: violation: the claim epsilon = 1 is refuted at level 1e-06; *",
            "ucb*: not certified: *",
            "*nothing was released: draw noise*",
        ]
    )
    text = str(result.stdout)
    assert text.count("the claim epsilon = ") >= len(private)
    section = text.partition("privacy: what the passing tests could have detected")[2].partition(
        "An audit that passes"
    )[0]
    for name in private:
        assert (f"test_audited[{name}]" in section) == (name != PUBLISHED)
        assert (f"test_certified[{name}]" in section) == (name != PUBLISHED)
    assert "could not tell any two streams apart" not in section, (
        "an audit that sees nothing proves nothing: give the algorithm a larger epsilon in `claimed`"
    )
