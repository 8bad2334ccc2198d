"""Bad input and misbehaving policies: one line that says what was got, what was expected and what to do."""

import math

import numpy as np
import pytest

import privcheck
from privcheck import PolicyError, PrivcheckError

OPTIONS = {"epsilon": 1.0, "arms": 2, "horizon": 4, "runs": 100}
ROUND = np.zeros((4, 2))
CHANGED = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])


def refused(target, *fragments, kind=PrivcheckError, **options):
    """Audit, expect a refusal whose one line contains the fragments, and return the error."""
    with pytest.raises(PrivcheckError) as caught:
        privcheck.audit(target, **(OPTIONS | options))
    error = caught.value
    message = str(error)
    for fragment in fragments:
        assert fragment in message, message
    assert type(error) is kind
    assert "\n" not in message
    assert ": got " in message
    assert ", expected " in message
    assert error.expected
    assert error.__suppress_context__ or error.__context__ is None, "a chain of tracebacks says nothing to a user"
    return error


# Targets


class Model:
    def __init__(self, rng):
        pass

    def partial_fit(self, x, y):
        pass

    def predict(self, x):
        pass


class Mab(Model):
    def partial_fit(self, decisions, rewards, contexts=None):
        pass


class Learner(Model):
    def predict(self, context, actions):
        pass

    def learn(self, context, action, reward, probability):
        pass


@pytest.mark.parametrize("made", [lambda of: of, lambda of: lambda rng: of(rng)])
@pytest.mark.parametrize(
    ("of", "said"),
    [
        (
            Model,
            "it has partial_fit(), predict(); rename what differs, or wrap it in a class that calls them: 'Code with",
        ),
        (Mab, "it has the methods of a MAB of MABWiser: give privcheck.adapters.from_mabwiser(f), with f(seed)"),
        (Learner, "the methods of a learner of coba: give privcheck.adapters.from_coba(f, actions), with f(seed)"),
    ],
)
def test_methods_of_other_names_are_told_what_fits_them(made, of, said):
    error = refused(made(of), "has no method select()", said)
    assert ("adapters" in str(error)) is (of is not Model)


@pytest.mark.parametrize(
    ("target", "fragments"),
    [
        ("adap-ucp", ["target: got 'adap-ucp'", "adap-ucb", "privcheck list"]),
        ("no/such/file.py:Bandit", ["no/such/file.py", "an existing Python file", "check the path"]),
        (
            "no_such_package.bandits:Bandit",
            ["no_such_package.bandits", "ModuleNotFoundError", "a target that can be imported"],
        ),
        ("json:Bandit", ["json:Bandit", "a name that json defines", "loads"]),
        ("bandit.py", ["'bandit.py'", "path/to/file.py:name"]),
        ("bandit.py:", ["'bandit.py:'", "path/to/file.py:name"]),
        (":Bandit", [":", "a target that can be imported"]),
        ("", ["target: got ''", "adap-ucb"]),
        (3, ["an object of type int", "a factory"]),
        (None, ["an object of type NoneType", "a factory"]),
        ("json:__name__", ["'json'", "a class or function that takes a Generator"]),
    ],
)
def test_targets_that_are_none(target, fragments):
    refused(target, *fragments)


def test_a_file_without_the_name_says_what_it_has(place):
    refused(place("Bandit"), "policies.py:Bandit", "a name that", "it defines", "FastResponse")


@pytest.mark.parametrize(
    ("source", "fragments"),
    [
        ("def broken(:\n", ["SyntaxError"]),
        ("import no_such_module_anywhere\n", ["ModuleNotFoundError", "no_such_module_anywhere", "line 1"]),
        ("x = 1\nraise RuntimeError('two\\nlines')\n", ["RuntimeError: two lines", "line 2"]),
        ("raise SystemExit(3)\n", ["SystemExit: 3"]),
        ("", ["a name that", "nothing callable"]),
    ],
)
def test_files_that_do_not_import(tmp_path, source, fragments):
    (tmp_path / "bandit.py").write_text(source)
    refused(f"{tmp_path / 'bandit.py'}:Bandit", "bandit.py", *fragments)


def test_what_already_says_how_to_mend_it_is_told_no_more(tmp_path):
    source = (
        "from privcheck.errors import PrivcheckError\nraise PrivcheckError('epsilon', -1, 'a budget', 'give one')\n"
    )
    (tmp_path / "bandit.py").write_text(source)
    target = f"{tmp_path / 'bandit.py'}:Bandit"
    assert str(refused(target, "epsilon: got -1, expected a budget; give one")).endswith(
        "expected a target that can be imported"
    )
    (tmp_path / "bandit.py").write_text("raise ValueError('no')\n")
    assert str(refused(target, "ValueError: no")).endswith(
        "expected a target that can be imported; fix this error first"
    )


def test_a_module_that_is_a_file_beside_you_is_told_as_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my").mkdir()
    (tmp_path / "my" / "only_a_file.py").write_text("")
    error = refused("my.only_a_file:Bandit", "No module named 'my", "write my/only_a_file.py:Bandit")
    assert "frozen" not in str(error)


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "bandit.py").mkdir()
    refused(f"{tmp_path / 'bandit.py'}:Bandit", "bandit.py", "an existing Python file")


@pytest.mark.parametrize(
    ("name", "fragments"),
    [
        ("NoSelect", ["class NoSelect", "no method select()", "a class with select() and update()"]),
        ("NoUpdate", ["class NoUpdate", "no method update()", "a class with select() and update()"]),
        ("NoGenerator", ["(arms)", "a numpy Generator (rng) as its first parameter"]),
        ("NoParameters", ["()", "a numpy Generator (rng) as its first parameter"]),
        (
            "NeedsTemperature",
            ["requires temperature", "wrap it in a function", "return NeedsTemperature(rng, temperature=...)"],
        ),
        ("makes_a_number", ["float", "no method select()", "a policy with select() and update()"]),
    ],
)
def test_factories_that_cannot_be_called(policies, place, name, fragments):
    refused(getattr(policies, name), *fragments)
    refused(place(name), *fragments)


class Built:
    def __init__(self, *given):
        self.given = given

    def select(self):
        return 0

    def update(self, action, reward):
        pass


class WindowFirst(Built):
    def __init__(self, rng, window, arms):
        super().__init__(rng, window, arms)


class WindowLast(Built):
    def __init__(self, generator, horizon, *, epsilon=8.0, lag=3, window):
        super().__init__(generator, window, horizon, epsilon, lag)


class ByPlace(Built):
    def __init__(self, rng, window, arms, /, delta):
        super().__init__(rng, window, arms, delta)


@pytest.mark.parametrize(
    ("target", "passed"),
    [(WindowFirst, {"arms": 5}), (WindowLast, {"horizon": 7, "epsilon": 0.5}), (ByPlace, {"arms": 5, "delta": 0.1})],
)
def test_the_wrapper_that_is_advised_builds_the_policy(target, passed):
    """Once it is said what only its author knows, every number that the policy takes is the one that is asked for."""
    _, _, advice = str(refused(target, "wrap it in a function")).partition("supplies the others: ")
    namespace, rng = {target.__name__: target}, np.random.default_rng(0)
    exec(advice.replace("...", "17"), namespace)
    built = namespace["target"](rng, **passed)
    assert built.given[:2] == (rng, 17)
    assert built.given[2:] in (tuple(passed.values()), (*passed.values(), 3))


@pytest.mark.parametrize("further", ["kind='Laplace'", "*, scale=1.0", "epsilon", "runs, kind"])
def test_a_function_of_data_with_further_parameters_is_no_factory(further):
    """It was asked for its arms, as a factory of policies."""
    made = {}
    exec(f"def count(data, rng, {further}): return 0.0", made)
    said = ["target: got count(data, rng, ", "a function of (data, rng)", "that calls it with values for "]
    refused(made["count"], *said, arms=None)


def test_an_instance_is_no_factory(policies):
    refused(policies.Fair(np.random.default_rng(0), 2), "of type Fair", "pass the class, not an instance of it")


def test_a_factory_that_raises(policies):
    refused(policies.FailsToBuild, "ValueError: no such luck", "policies.py, line", kind=PolicyError)


@pytest.mark.chance(
    4e-7,
    "a claim of 1 where the loss is 0, refuted at level 1e-3 by at most 1.2e-7 for each of three events",
)
def test_a_factory_that_needs_an_epsilon(policies):
    refused(policies.NeedsEpsilon, "epsilon: got None", "give epsilon", epsilon=None)
    assert privcheck.audit(policies.NeedsEpsilon, **OPTIONS).verdict == "consistent"


def test_a_shipped_private_algorithm_needs_an_epsilon():
    refused("adap-ucb", "epsilon: got None", "the budget to build adap-ucb with", "--epsilon 1", epsilon=None)


def test_a_policy_of_ones_own_needs_its_arms(policies):
    refused(policies.Fair, "arms: got None", "the number of arms of the policy", "--arms 2", arms=None)


def test_a_spec_keeps_its_arms():
    from privcheck.bandits import ALGORITHMS

    spec = ALGORITHMS["adap-ucb"](arms=3, epsilon=1.0)
    refused(spec, "arms: got 2", "3, as adap-ucb was built with", "leave arms out")


def test_shipped_algorithms_have_their_range_of_rewards():
    refused(
        "adap-ucb", "rewards: got (-1.0, 1.0)", "within", "adap-ucb is defined for rewards in [0, 1]", rewards=(-1, 1)
    )


# Settings


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        *[("epsilon", value, "a finite number above 0") for value in (0, -1.0, math.nan, math.inf, "1", True, [1.0])],
        *[("delta", value, "a number in [0, 1)") for value in (-0.1, 1.0, math.nan, None, "0")],
        *[("arms", value, "an integer in [1, 127]") for value in (0, -2, 2.5, 128, "2", math.nan, math.inf)],
        ("arms", 1, "an integer in [2, 127]"),
        *[("horizon", value, "an integer in [1, 100000000]") for value in (0, -1, 2.5, "4", math.nan, 1e20)],
        *[("runs", value, "an integer of at least 20") for value in (19, 0, -100, 100.5, "100", math.inf)],
        *[("time_budget", value, "a finite number above 0") for value in (0, -1, math.nan, math.inf, "60")],
        *[("confidence", value, "a number in [0.5, 1)") for value in (0, 0.3, 0.499, 1, 95, -0.5, math.nan, None)],
        *[("error", value, "a number in (0, 0.5]") for value in (0, 0.501, 1, -1e-3, math.nan, "small")],
        *[("seed", value, "an integer of at least 0") for value in (-1, 0.5, None, "0")],
        *[("jobs", value, "an integer in [1, 10000]") for value in (0, -1, 1.5, None, "2", 10**20)],
        *[("feedback", value, "one of 'bandit', 'batch'") for value in ("bandits", "", None, 3)],
        *[("observe", value, "'actions'") for value in ("rewards", "", None)],
    ],
)
def test_settings_outside_their_domain(policies, name, value, expected):
    error = refused(policies.Fair, f"{name}: got {value!r}", expected, **{name: value})
    assert error.parameter == name
    assert error.value is value or error.value == value
    assert error.hint


@pytest.mark.parametrize("value", [(1.0, 0.0), (0.5, 0.5), (0.0,), (0.0, 1.0, 2.0), 1.0, None, "ab"])
def test_ranges_of_rewards(policies, value):
    refused(policies.Fair, "rewards range", rewards=value)


@pytest.mark.parametrize("value", [(0.0, math.inf), (math.nan, 1.0), (-1e308, 1e308)])
def test_infinite_ranges_of_rewards(policies, value):
    refused(policies.Fair, "rewards range", "a finite number", rewards=value)


def test_a_long_value_is_cut_in_the_message_and_kept_in_the_error():
    error = PrivcheckError("tradeoff", [0.0] * 1000, "a claim that rules something out", "")
    assert len(str(error)) < 300
    assert len(error.value) == 1000


def test_the_id_of_a_mechanism_says_how_it_is_audited():
    with pytest.raises(PrivcheckError, match=r"write measure = privcheck\.mechanisms\.Laplace\(\.\.\.\) into a file"):
        privcheck.audit("laplace", epsilon=1.0)


@pytest.mark.parametrize(
    ("value", "fragment"),
    [
        ("rows", "did you mean 'row'?"),
        ("group:0", "k is the number of rounds"),
        ("group:x", "k is the number of rounds"),
        (3, "the rewards of one round"),
        (None, "the rewards of one round"),
    ],
)
def test_neighbours(policies, value, fragment):
    refused(
        policies.Fair, f"neighbours: got {value!r}", "one of 'row', 'reward', 'group:k'", fragment, neighbours=value
    )


def test_a_horizon_shorter_than_the_arms(policies):
    refused(policies.Fair, "horizon: got 4", "at least the number of arms, 5", "raise the horizon", arms=5)
    refused("adap-ucb", "horizon: got 2", "at least the number of arms, 3", arms=3, horizon=2)


@pytest.mark.parametrize(
    ("streams", "fragments"),
    [
        ((ROUND, ROUND), ["two identical tables", "two tables that differ"]),
        ((ROUND, 1.0 - ROUND), ["differ in 4 rows", "at most 1 for neighbours='row'", "group:4"]),
        ((ROUND, CHANGED[:3]), ["shapes (4, 2) and (3, 2)", "the same shape"]),
        ((ROUND, 2.0 * CHANGED), ["2.0 in round", "rewards in [0, 1]"]),
        ((ROUND[:, :1], CHANGED[:, :1]), ["shape (4, 1)", "(T, 2)"]),
        ("missing.csv", ["missing.csv", "an existing file"]),
        (ROUND[0, 0], ["a pair (first, second)"]),
    ],
)
def test_streams_that_are_no_pair_of_neighbours(policies, streams, fragments):
    refused(policies.Fair, *fragments, streams=streams, horizon=None)


class Frame:
    """Looks like a data frame of pandas or polars, which need not be installed."""

    columns = ("a", "b")

    def __init__(self, values):
        self.values = values

    def to_numpy(self):
        return self.values

    def __array__(self, dtype=None, copy=None):
        return self.values


@pytest.mark.parametrize("streams", [(Frame(ROUND), Frame(CHANGED)), (ROUND, Frame(CHANGED)), Frame(ROUND)])
def test_data_frames_are_no_streams(policies, streams):
    """The order of their columns would decide which arm pays what, and the order of their rows when."""
    refused(policies.Fair, " Frame, expected", "whose columns have no names", "first.to_numpy()", streams=streams)


def test_functions_are_handed_data_frames_as_they_are():
    def total(data, rng):
        return data.values.sum() + rng.laplace()

    assert privcheck.audit(total, epsilon=2.0, runs=400, streams=(Frame(ROUND), Frame(CHANGED))).witness is not None
    refused(total, "got a ndarray and a Frame", "two inputs of one type", streams=(ROUND, Frame(CHANGED)))
    refused(total, " Frame, expected", "two data frames are streams=(first, second)", streams=Frame(ROUND))


def test_streams_shorter_than_the_arms(policies):
    pair = (np.zeros((2, 3)), np.array([[1.0] * 3, [0.0] * 3]))
    refused(policies.Fair, "horizon: got 2", "at least the number of arms, 3", arms=3, streams=pair, horizon=None)


def test_streams_that_contradict_the_horizon(policies):
    refused(policies.Fair, "horizon: got 7", "4, the length of the streams", streams=(ROUND, CHANGED), horizon=7)


# Policies that misbehave


@pytest.mark.parametrize(
    ("name", "fragments"),
    [
        ("PlaysTooLarge", ["action in round 2: got 2", "an arm in 0, ..., 1", "counted from 0"]),
        ("PlaysNegative", ["action in round 2: got -1", "an arm in 0, ..., 1"]),
        ("PlaysHalf", ["action in round 2: got 0.5", "an integer, the arm to play"]),
        ("PlaysNone", ["action in round 2: got None", "an integer, the arm to play"]),
        ("PlaysText", ["action in round 2: got '0'", "an integer, the arm to play"]),
        ("RaisesInRoundThree", ["round 3: got RuntimeError: lost my way", "policies.py, line", "plays every round"]),
        ("Exits", ["round 1: got SystemExit: 0", "policies.py, line"]),
        ("BatchOfWrongShape", ["run_batch: got shape (6, 5)", "integer actions of shape (6, 4)"]),
        ("BatchOfFloats", ["run_batch: got shape (6, 4) of float64", "integer actions"]),
        ("BatchOfUnknownArms", ["action: got 5", "an arm in 0, ..., 1"]),
        ("BatchThatRaises", ["run_batch: got KeyError: 'batch'", "policies.py, line"]),
    ],
)
def test_policies_that_break_the_contract(policies, name, fragments):
    refused(getattr(policies, name), *fragments, kind=PolicyError)


class OneArgument:
    def __init__(self, rng):
        self.rng = rng

    def select(self):
        return 0

    def update(self, reward):
        pass


class TakesContext(OneArgument):
    def select(self, context):
        return 0


class RaisesTypeErrors(OneArgument):
    def update(self, action, reward):
        raise TypeError("its own")


@pytest.mark.parametrize(
    ("policy", "fragments"),
    [
        (OneArgument, ["round 1: got TypeError: OneArgument.update() takes 2", "select() and update(action, reward)"]),
        (TakesContext, ["select() missing 1 required", "for feedback 'bandit'", "contextual"]),
        (RaisesTypeErrors, ["TypeError: its own (test_bad_input.py, line", "plays every round"]),
    ],
)
def test_methods_with_other_arguments(policy, fragments):
    refused(policy, *fragments, kind=PolicyError)


def test_a_generator_with_a_fixed_seed_is_pointed_out():
    """The policy's noise is the same in every run, so that its actions tell the rewards: a violation, with a hint."""

    class FixedSeed:
        def __init__(self, rng):
            self.rng, self.noisy = np.random.default_rng(0), 0.0

        def select(self):
            return int(self.noisy > 0.5)

        def update(self, action, reward):
            self.noisy = reward + self.rng.laplace()

    report = privcheck.audit(FixedSeed, **OPTIONS)
    assert report.verdict == "violation"
    assert "a fixed seed" in " ".join(report.notes)
    assert not privcheck.audit("ucb", **OPTIONS).notes


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("FreshGenerator", "a generator that the clock or the operating system seeds"),
        ("ClassState", "state is kept between runs: the class attribute ClassState."),
    ],
)
def test_policies_that_are_not_reproducible(policies, place, name, cause):
    fragments = ["different actions in round", "all its randomness from the Generator passed to its factory", cause]
    refused(getattr(policies, name), *fragments, kind=PolicyError)
    refused(place(name), *fragments, kind=PolicyError)


def test_an_error_of_the_constructor_is_said_to_be_one():
    class Broken:
        def __init__(self, rng, arms):
            raise ValueError("no such file")

        def select(self):
            return 0

        def update(self, action, reward):
            pass

    for target, who in (
        (Broken, "the constructor of Broken"),
        (lambda rng, arms: Broken(rng, arms), "the factory <lambda>"),
    ):
        refused(target, "test_bad_input.py, line", f"raised by {who}, expected a factory", kind=PolicyError)


def test_errors_cross_worker_processes(place):
    """A policy that fails only late is refused in the same words when workers play it."""
    late = place("FailsLate")
    for jobs in (1, 2):
        refused(late, "round 1: got RuntimeError: late", "policies.py, line", kind=PolicyError, runs=2000, jobs=jobs)


@pytest.mark.chance(
    4e-7,
    "a claim of 1 where the loss is 0, refuted at level 1e-3 by at most 1.2e-7 for each of three events",
)
def test_numpy_integers_are_arms(policies):
    assert privcheck.audit(policies.PlaysNumpy, **OPTIONS).verdict == "consistent"


def test_errors_are_privcheck_errors():
    assert issubclass(PolicyError, PrivcheckError)
    assert str(PrivcheckError("a", 1, "two", "try two")) == "a: got 1, expected two; try two"


def test_no_confidence_is_accepted_at_which_a_constant_has_a_loss():
    """At confidence .3 a mechanism that ignores its data had a lower bound of .0395, whatever the seed."""

    def constant(data, rng):
        return 0 * int(rng.integers(2)) + 0 * len(data)

    with pytest.raises(PrivcheckError, match="below one half"):
        privcheck.audit(constant, streams=([0.0], [1.0]), runs=1000, confidence=0.3)
    report = privcheck.audit(constant, streams=([0.0], [1.0]), runs=1000, confidence=0.5)
    assert report.epsilon_lower == 0.0
