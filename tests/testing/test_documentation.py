"""The files in docs/testing.md run, and the mistake that it describes fails as it says."""

import re
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ["pytester"]

TEXT = (Path(__file__).parents[2] / "docs" / "testing.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"```python\n# (\w+)\.py\n(.*?)```", TEXT, re.DOTALL))
PUBLISH = "self.noise.release(reward, self.rng)"


@pytest.fixture
def documented(imported, plugin, pytester):
    pytester.makepyfile(**FILES)
    pytester.syspathinsert()
    settings.register_profile("few", settings.get_profile("privcheck"), max_examples=25)
    settings.load_profile("few")
    yield lambda *options: pytester.runpytest_inprocess(*plugin, "-p", "no:cacheprovider", *options)
    settings.load_profile("privcheck")


def test_the_example_passes_and_says_what_it_could_have_seen(documented):
    result = documented("--privcheck-budget=1000")
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(
        ["*privacy: what the passing tests could have detected*", "*Shop: consistent: the claim*"]
    )
    result.stdout.no_fnmatch_line("*could not tell any two streams apart*")


def test_the_mistake_fails_as_described(documented, pytester):
    broken = FILES["shop"].replace("self.rounds += 1", "self.rounds += 1\n        self.total += reward")
    broken = broken.replace(PUBLISH, PUBLISH.replace("reward", "self.total")).replace(
        ", 0\n\n    def select", ", 0\n        self.total = 0.0\n\n    def select"
    )
    pytester.makepyfile(shop=broken)
    result = documented("-k", "private")
    result.assert_outcomes(failed=1)
    block = TEXT.partition("with the same noise:")[2].partition("A failing certificate ends")[0]
    shown = [line.strip().removesuffix(" ...") for line in block.splitlines() if line.strip()]
    assert len(shown) == 6
    for line in shown:
        told = re.sub(r"shop.py:\d+", "shop.py", line)
        assert told in re.sub(r"shop.py:\d+", "shop.py", str(result.stdout)), line


def test_options_and_functions_named_exist():
    import privcheck.testing

    named = re.findall(r"`(assert_\w+|load_profile|reward_tables|neighbouring_tables|arm_sets)\b", TEXT)
    assert len(set(named)) >= 7
    assert set(named) <= set(privcheck.testing.__all__)


@pytest.mark.parametrize("mark", ["privacy", "certified"])
def test_a_mark_without_epsilon_is_told_how_to_write_it(documented, pytester, mark):
    pytester.makepyfile(test_shop=f"import pytest\n@pytest.mark.{mark}\ndef test_it():\n    return None\n")
    result = documented("-k", "test_it")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*argument: 'epsilon'; as in @pytest.mark.{mark}(epsilon=1.0, arms=2)*"])


def test_a_failing_machine_shows_its_finding_and_no_source_of_ours(documented, pytester):
    pytester.makepyfile(shop=FILES["shop"].replace(PUBLISH, PUBLISH.replace("reward", "5 * reward")))
    result = documented("-k", "TestShop")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["round 1: sensitivity: got 5.0 computed*"])
    result.stdout.no_fnmatch_line("*privcheck/testing/_bandit_machine.py*")
    result.stdout.no_fnmatch_line("*self.policy.update*")
