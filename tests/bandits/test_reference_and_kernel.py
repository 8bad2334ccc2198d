"""The compiled kernel of every algorithm is the reference, draw for draw: same table, same noise, same actions."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privcheck.bandits.dp_se import epoch_schedule

pytestmark = pytest.mark.long

RUNS = 8
UNDECIDED = {
    "dp-se": [0.0, epoch_schedule(1, 3, 0.5, 1e-3)[1], 0.0],
    "dp-se-bai": [0.0, epoch_schedule(1, 3, 0.5, 0.01)[1], 0.0],
}
"""Rows of rewards on which the noise decides what is played next, for algorithms that decide by a threshold.

Of others the noise decides between equal arms: that eight private runs of three equal arms are all alike has
probability 3^-7 for an algorithm that chooses an arm once, and none of the fixed seeds shows it.
"""


def level_table(rows):
    """Rewards of three arms with equal sums over every three rounds, so that only noise tells the arms apart."""
    return np.resize([[0.0, 0.5, 1.0], [0.5, 1.0, 0.0], [1.0, 0.0, 0.5]], (rows, 3))


@st.composite
def tables(draw, arms, warm_up):
    """Tables with binary entries (many ties), multiples of 1/4, and continuous ones."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    horizon = warm_up + draw(st.integers(1, 150))
    kind = draw(st.sampled_from(["binary", "quarters", "continuous", "zeros", "ones"]))
    means = rng.random(arms)
    return {
        "binary": lambda: (rng.random((horizon, arms)) < means).astype(float),
        "quarters": lambda: rng.integers(0, 5, (horizon, arms)) / 4.0,
        "continuous": lambda: rng.random((horizon, arms)),
        "zeros": lambda: np.zeros((horizon, arms)),
        "ones": lambda: np.ones((horizon, arms)),
    }[kind]()


@pytest.mark.filterwarnings("ignore::hypothesis.errors.NonInteractiveExampleWarning")
def test_same_actions_on_random_tables(algorithm, play):
    @settings(derandomize=True, deadline=None, database=None, max_examples=120, suppress_health_check=list(HealthCheck))
    @given(data=st.data(), arms=st.integers(2, 6), seed=st.integers(0, 2**32))
    def check(data, arms, seed):
        spec = data.draw(play.specs(algorithm, st.just(arms)))
        table = data.draw(tables(arms, spec.warm_up()))
        expected = play.reference(spec, table, np.random.default_rng(seed))
        assert play.kernel(spec, table, np.random.default_rng(seed))[0].tolist() == expected

    check()


@pytest.mark.parametrize("arms", [2, 6])
def test_same_actions_on_a_long_table(algorithm, play, arms):
    spec = play.example(algorithm, arms=arms, **({"strength": 0.7} if algorithm.private else {}))
    coins = np.random.default_rng(5).random((1000 + spec.warm_up(), arms))
    table = (coins < np.linspace(0.8, 0.3, arms)).astype(float)
    expected = play.reference(spec, table, np.random.default_rng(3))
    assert play.kernel(spec, table, np.random.default_rng(3))[0].tolist() == expected


def test_runs_of_one_call_are_successive_single_runs(algorithm, play):
    """Nothing of one run is left over in the next."""
    spec = play.example(algorithm, **({"strength": 0.5} if algorithm.private else {}))
    rows = max(300, spec.warm_up() + 10)
    table = np.tile(UNDECIDED[algorithm.id], (rows, 1)) if algorithm.id in UNDECIDED else level_table(rows)
    together, one_by_one = ((np.random.default_rng(4), np.random.default_rng(5)) for _ in range(2))
    batch = play.kernel(spec, table, together[0], runs=RUNS, coins=together[1])
    singles = [play.kernel(spec, table, one_by_one[0], coins=one_by_one[1])[0] for _ in range(RUNS)]
    assert np.array_equal(batch, singles)
    assert [g.random() for g in together] == [g.random() for g in one_by_one]
    different = len({row.tobytes() for row in batch})
    assert (different > 1) == (algorithm.private or algorithm.tosses_coins), (
        "noise decides nothing on this table: add a row of rewards on which it does to UNDECIDED"
    )


def test_the_kernels_regret_is_that_of_its_actions(algorithm, play):
    if algorithm.feedback == "identification":
        pytest.skip("its result is a stopping time: see test_dp_exact_tt.py and test_identification_baselines.py")
    if algorithm.feedback == "semi-bandit":
        pytest.skip("its kernel is also given an oracle: see test_semi_bandits.py")
    arms, runs = 4, 6
    spec = play.example(algorithm, arms=arms, **({"strength": 0.5} if algorithm.private else {}))
    horizon = max(200, spec.warm_up() + 10)
    means, checkpoints = np.array([0.2, 0.9, 0.5, 0.6]), np.array([1, 2, 7, 64, 65, 199, 200])
    actions, regret = np.zeros((runs, horizon), np.int8), np.full((runs, len(checkpoints)), np.nan)
    streams = [np.random.default_rng(i) for i in range(3)]
    spec.kernel(
        spec.kernel_parameters(), np.zeros((0, arms)), means, *streams, horizon, runs, actions, checkpoints, regret
    )
    assert len(np.unique(actions)) > 1
    assert np.allclose(regret, np.cumsum(0.9 - means[actions], axis=1)[:, checkpoints - 1], rtol=1e-12, atol=1e-12)


def test_the_cache_of_a_kernel_notices_changes_in_what_it_calls():
    from privcheck.bandits import kl_index
    from privcheck.bandits.kl_ucb import kl_ucb_kernel
    from privcheck.kernels._cache import fingerprint

    kernel, callee = kl_ucb_kernel.py_func, kl_index.negative_entropy.py_func
    before, code = fingerprint(kernel), callee.__code__
    assert kl_ucb_kernel._cache._index_key(None, kl_ucb_kernel.targetctx.codegen())[-1] == before
    try:
        callee.__code__ = (lambda mean: mean + 1.0).__code__
        assert fingerprint(kernel) != before
    finally:
        callee.__code__ = code
    assert fingerprint(kernel) == before


def test_the_cache_of_a_kernel_notices_changes_of_constant_arrays(monkeypatch):
    from privcheck.inference import _betting as betting
    from privcheck.kernels._cache import fingerprint

    before = fingerprint(betting.add_block.py_func)
    monkeypatch.setattr(betting, "SHARES", betting.SHARES.copy())
    assert fingerprint(betting.add_block.py_func) == before
    betting.SHARES[0] += 1e-9
    assert fingerprint(betting.add_block.py_func) != before


def test_an_index_of_an_older_version_is_discarded(tmp_path):
    """Its pickle names modules that have been renamed since: the function is compiled again, and nothing fails."""
    import pickle

    from privcheck.bandits import kl_index

    cache = type(kl_index.negative_entropy._cache)(kl_index.negative_entropy.py_func)
    file = cache._cache_file
    file._index_path = str(tmp_path / "old.nbi")
    stale = b"cprivcheck.no_such_module\nlaw\n."
    with pytest.raises(ModuleNotFoundError):
        pickle.loads(stale)
    (tmp_path / "old.nbi").write_bytes(pickle.dumps(file._version) + stale)
    context = kl_index.negative_entropy.targetctx
    assert cache.load_overload(None, context) is None
    assert pickle.loads((tmp_path / "old.nbi").read_bytes()) == file._version, "the index was written anew"
