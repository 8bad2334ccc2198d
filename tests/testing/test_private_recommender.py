"""The example repository: its suite passes, and fails for the right reason whichever way its privacy is broken."""

import re
import shutil
from pathlib import Path

import pytest
import sklearn.datasets  # noqa: F401  (pytester forgets later imports)

import privcheck.testing

pytest_plugins = ["pytester"]

EXAMPLE = Path(__file__).parents[2] / "examples" / "private_recommender"
RELEASE = "self.mechanism.release(clicks_of(self.block), self.rng)"
FULL = "if len(self.block) == BLOCK:"
AUDIT, CERTIFICATE = "test_an_audit_does_not_refute_the_claim", "test_every_visitor_pays_for_one_release"
UNCHANGED, MOVES = "test_choosing_an_article_reads_nothing_but_releases", "test_one_visitor_moves_a_block_by_one_click"
HYPOTHESIS, MACHINE = "test_so_says_hypothesis", "TestVisitors.runTest"
FORGET, APPEND = "        self.block = []\n        self.blocks", "self.block.append(clicked)\n"
PEEK = f"{APPEND}        self.shown = article if clicked > 0.5 else (article + 1) % 3\n"
SEEDED = "self.mechanism.release(clicks_of(self.block), None) + random.Random(int(sum(self.block))).random()"

BREAKAGES = {
    "ten times the budget": (
        [("epsilon=epsilon)", "epsilon=10 * epsilon)")],
        {AUDIT: r"the claim epsilon = 1 is refuted", CERTIFICATE: r"takes the reward of round 1 to 10"},
    ),
    "the block is never forgotten": (
        [(FORGET, "        self.blocks"), (FULL, "if len(self.block) % BLOCK == 0:")],
        {CERTIFICATE: r"takes the reward of round 1 to 2", MACHINE: r"round \d+: .*takes the reward of round 1 to 2"},
    ),
    "a tenth of the noise": (
        [(RELEASE, "clicks_of(self.block) + self.rng.laplace(0.0, 0.1)")],
        {AUDIT: r"the claim epsilon = 1 is refuted", CERTIFICATE: r"takes the reward of round 1 to 10"},
    ),
    "no noise": (
        [(RELEASE, "clicks_of(self.block)")],
        {AUDIT: r"the claim epsilon = 1 is refuted", UNCHANGED: r"actions differ although .* releases are the same"},
    ),
    "the last click steers": (
        [(APPEND, PEEK)],
        {UNCHANGED: r"actions differ although", CERTIFICATE: r"Leak at .* in update: > on a private value of round 1 "},
    ),
    "a block ends at a click": (
        [(FULL, "if clicked or len(self.block) == BLOCK:")],
        {
            UNCHANGED: r"actions differ although|on one stream only",
            CERTIFICATE: r"Leak at .* in update: truth value on a private value",
        },
    ),
    "clicks count threefold": (
        [("return sum(block)", "return 3.0 * sum(block)")],
        {
            MOVES: r"a change of 3 \(L1 norm\)",
            HYPOTHESIS: r"<= 1\.0",
            CERTIFICATE: r"Refused: sensitivity: got 3.0 computed from the data",
        },
    ),
    "coins seeded by clicks": (
        [(RELEASE, SEEDED), ("import math\n", "import math\nimport random\n")],
        {CERTIFICATE: r"Leak at .* in publish: int\(\) on a private value", UNCHANGED: r"actions differ although"},
    ),
}
QUICK = ["the block is never forgotten", "clicks count threefold"]


@pytest.fixture
def repository(imported, plugin, pytester):
    shutil.copytree(EXAMPLE, pytester.path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", ".*cache"))
    pytester.options = plugin
    return pytester


def run(repository):
    options = ("-p", "no:cacheprovider", "--privcheck-budget=1500", "--tb=short")
    return repository.runpytest_inprocess(*repository.options, *options)


def sections(result):
    """Return what the run prints of every failed test."""
    found, name = {}, None
    for line in result.outlines:
        heading = re.fullmatch(r"_+ (\S+) _+", line)
        name = heading[1] if heading else None if line.startswith("===") else name
        if name:
            found.setdefault(name, []).append(line)
    return {name: "\n".join(lines) for name, lines in found.items()}


def break_it(repository, changes):
    file = repository.path / "private_recommender" / "recommender.py"
    source = file.read_text(encoding="utf-8")
    for old, new in changes:
        assert source.count(old) == 1
        source = source.replace(old, new)
    file.write_text(source, encoding="utf-8")


def fails_as_expected(repository, breakage):
    changes, reasons = BREAKAGES[breakage]
    break_it(repository, changes)
    failed = sections(run(repository))
    assert set(reasons) <= set(failed)
    for test, reason in reasons.items():
        assert re.search(reason, failed[test]), f"{test} fails for another reason:\n{failed[test]}"


def test_the_suite_passes_unbroken(repository):
    result = run(repository)
    result.assert_outcomes(passed=8)
    result.stdout.fnmatch_lines(["*Recommender: certified: epsilon is at most 1.000*"])
    result.stdout.no_fnmatch_line("*could not tell any two streams apart*")


@pytest.mark.parametrize("breakage", QUICK)
def test_broken_privacy_turns_the_suite_red(repository, breakage):
    fails_as_expected(repository, breakage)


@pytest.mark.evidence
@pytest.mark.parametrize("breakage", [name for name in BREAKAGES if name not in QUICK])
def test_every_other_breakage_too(repository, breakage, evidence):
    if not evidence(0, 1):
        pytest.skip("with --evidence=full")
    fails_as_expected(repository, breakage)


def test_there_are_eight_breakages():
    assert len(BREAKAGES) == 8
    assert set(QUICK) < set(BREAKAGES)


def test_the_example_is_a_repository_of_its_own():
    workflow = (EXAMPLE / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    first, second = "[testing]'", "pip install '.[test]'"
    for text in (workflow, (EXAMPLE / "README.md").read_text(encoding="utf-8")):
        assert 0 < text.index(first) < text.index(second), "privcheck comes from a checkout, before what needs it"
    assert "--privcheck-budget=" in workflow
    assert "privcheck[testing]" in (EXAMPLE / "pyproject.toml").read_text(encoding="utf-8")
    assert "privcheck.testing" in (EXAMPLE / "tests" / "test_privacy.py").read_text(encoding="utf-8")
    assert privcheck.testing.PrivacyFailure
