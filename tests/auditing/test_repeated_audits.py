"""However an audit was limited, its report prints a Python call and a command line that give the same report."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import math
import shlex
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

import privcheck
from privcheck.auditing import _costs as costs
from privcheck.auditing._confirmation import fixed_runs, sequential_audit
from privcheck.auditing._confirmation.tally import Counter
from privcheck.cli import run
from privcheck.reporting import details
from privcheck.reporting._text.repeating import Call, repeat_audit
from privcheck.results import AuditReport
from privcheck.scheduling import Executor
from privcheck.targets import MechanismRunner, PolicyRunner
from privcheck.targets import _sampling as sampling
from privcheck.targets._runners import KernelRunner

TARGETS = '''
import numpy as np
from privcheck.mechanisms import Laplace


class Policy:
    """Tells the last reward with noise of half the scale that epsilon = 1 needs."""

    def __init__(self, rng):
        self.rng, self.last = rng, 0.0

    def select(self):
        return int(self.last + self.rng.laplace(0.0, 0.5) > 0.5)

    def update(self, action, reward):
        self.last = reward


class Fair(Policy):
    def select(self):
        return int(self.rng.random() < 0.5)


class Contextual(Policy):
    def select(self, context):
        return int(self.last * context[0] + self.rng.laplace(0.0, 1.0) > 0.5)

    def update(self, context, action, reward):
        self.last = reward


class Releasing(Policy):
    def select(self):
        self.last = Laplace(sensitivity=1.0, epsilon=2.0).release(self.last, self.rng)
        return int(self.last > 0.5)


def one(data, rng):
    return data.sum() + rng.laplace(0.0, 0.5)


def ragged(data, rng):
    return [round(data.sum() + rng.laplace(0.0, 0.5)), *([7] if rng.random() < 0.02 else [])]


def batch(data, rng, runs):
    noise = rng.laplace(0.0, 0.5, runs)
    return data.sum() + noise + 0.0 * rng.random(runs)


def private(data, rng, runs):
    return data.sum() + rng.laplace(0.0, 1.0, runs)
'''

CONTEXTS = privcheck.Contexts(shape=(2,), norm=1.5)

KINDS = {
    "policy": ("Policy", {"arms": 2, "horizon": 4, "epsilon": 1.0}),
    "no claim": ("Policy", {"arms": 2, "horizon": 3, "rewards": (-1.0, 0.3)}),
    "private policy": ("Fair", {"arms": 2, "horizon": 3, "epsilon": 1 / 3, "delta": 1e-6}),
    "contextual": (
        "Contextual",
        {"arms": 2, "horizon": 3, "epsilon": 1.0, "feedback": "contextual", "neighbours": "context-reward",
         "contexts": CONTEXTS},
    ),
    "releases": ("Releasing", {"arms": 2, "horizon": 3, "epsilon": 1.0, "observe": "releases", "runs": 100}),
    "function": ("one", {"epsilon": 1.0, "confidence": 0.9}),
    "function of ragged outputs": ("ragged", {"epsilon": 1.0, "horizon": 3}),
    "function of many runs": ("batch", {"epsilon": 1.0, "horizon": 5, "seed": 3}),
    "private function": ("private", {"epsilon": 1.0, "error": 0.01}),
    "shipped": ("rnm-ftnl-published", {"arms": 2, "horizon": 3, "epsilon": 1 / 3}),
}  # fmt: skip

RUNS, PAIRS = 700, 3


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Chunks so small that all kinds of targets have several, and a file of targets below the working directory."""
    (tmp_path / "my targets.py").write_text(TARGETS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for runner in (KernelRunner, MechanismRunner, PolicyRunner):
        monkeypatch.setattr(runner, "chunk_runs", 90)
    return lambda name: name if "-" in name else f"my targets.py:{name}"


def same(one: AuditReport | str, two: AuditReport | str, *, but: tuple[str, ...] = ()) -> bool:
    """Compare all fields of two reports but the time they took, and the time that was asked for."""
    contents = [json.loads(report if isinstance(report, str) else report.to_json()) for report in (one, two)]
    for content in contents:
        for name in ("seconds", "time_budget", *but):
            content.pop(name)
    return contents[0] == contents[1]


EXPLAINED = ("certificate", "exact_loss", "faults", "notes")
"""What an audit that a user has interrupted leaves out, because it ends at once; the repeated one has it."""


def by_python(report: AuditReport, **names) -> AuditReport:
    return eval(repeat_audit(report).python.folded(), {"privcheck": privcheck, **names})


def by_command(report: AuditReport, capsys, **files) -> str:
    """Run the command line in process, with files in place of what it leaves open, and return its JSON."""
    words = shlex.split(str(repeat_audit(report).command), comments=True)
    capsys.readouterr()
    status = run([*(files.get(word.partition(".")[0], word) for word in words[1:]), "--json", "-"])
    assert status == {"violation": 1, "inconclusive": 3}.get(report.verdict, 0)
    return capsys.readouterr().out


@contextlib.contextmanager
def ended(monkeypatch, after: int, how: str):
    """End the audit once so many chunks have been played, by an interruption or by the clock."""
    played, results = itertools.count(1), Executor.in_order
    late = [False]

    def counted(executor, calls):
        with contextlib.closing(results(executor, calls)) as inner:
            for outputs in inner:
                number = next(played)
                late[0] = number >= after
                if number > after and how == "interrupt":
                    raise KeyboardInterrupt
                yield outputs

    with monkeypatch.context() as patch:
        patch.setattr(Executor, "in_order", counted)
        if how == "clock":
            patch.setattr(sampling, "time", SimpleNamespace(monotonic=lambda: math.inf if late[0] else 0.0))
        yield


def cut(monkeypatch, target, after, how, **options):
    with ended(monkeypatch, after, how):
        return privcheck.audit(target, **options, time_budget=1e9 if how == "clock" else None)


def chunks_of(target, options) -> int:
    """Return how many chunks the whole audit plays before it simplifies, those of both streams counted as one."""
    seen = []
    results = Executor.in_order

    def watched(executor, calls):
        for outputs in results(executor, calls):
            seen.append(calls)
            yield outputs

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Executor, "in_order", watched)
        patch.setattr(fixed_runs, "simplest_witness", lambda *_, **__: None)
        privcheck.audit(target, **options)
    return len(seen)


@pytest.mark.parametrize(
    ("kind", "jobs"), [*((kind, 1) for kind in KINDS), ("policy", 2), ("function", 2), ("shipped", 2)]
)
def test_a_whole_audit_is_repeated(place, capsys, kind, jobs):
    name, options = KINDS[kind]
    options = {"runs": RUNS, "pairs": PAIRS} | options
    report = privcheck.audit(place(name), **options, jobs=jobs)
    assert (report.pairs, report.runs, report.stop_after) == (PAIRS, options["runs"], None)
    assert same(report, by_python(report))
    assert same(report, by_command(report, capsys))


CUT = ["policy", "function of ragged outputs", "function of many runs", "private function", "shipped"]


@pytest.mark.parametrize("kind", CUT)
def test_an_audit_that_was_cut_short_is_repeated(place, capsys, monkeypatch, kind):
    """It is cut short in the search, before counting, in the counting fold, in its last chunk, and later."""
    name, options = KINDS[kind]
    options = options | {"runs": RUNS, "pairs": PAIRS}
    chunks = chunks_of(place(name), options)
    counted = set()
    by = itertools.cycle(("interrupt", "clock") if len(kind) % 2 else ("clock", "interrupt"))
    for number, (after, how) in enumerate(zip((0, chunks - 8, chunks - 3, chunks - 1, chunks + 1), by, strict=False)):
        jobs = 2 if number == 2 else 1
        report = cut(monkeypatch, place(name), after, how, **options, jobs=jobs)
        counted.add(report.stop_after)
        assert report.stop_after in (None, report.counted_runs)
        assert same(report, by_python(report), but=EXPLAINED), after
        if number == 2:
            assert same(report, by_command(report, capsys), but=EXPLAINED)
    assert 0 in counted
    assert len(counted - {None}) >= 3


@pytest.mark.parametrize(("kind", "how"), [("private policy", "interrupt"), ("private function", "clock")])
def test_a_sequential_audit_is_repeated(place, capsys, monkeypatch, kind, how):
    """Stages of 200 runs and more, each with its own search: whole, and cut short in several places."""
    monkeypatch.setattr(sequential_audit, "FIRST_RUNS", 200)
    name, options = KINDS[kind]
    options = options | {"runs": 1500, "pairs": 2, "sequential": True}
    report = privcheck.audit(place(name), **options)
    assert report.stop_after is None
    assert same(report, by_python(report))
    chunks, counted = chunks_of(place(name), options), set()
    for after in (2, chunks // 2, chunks - 2):
        report = cut(monkeypatch, place(name), after, how, **options)
        counted.add(report.stop_after)
        assert same(report, by_python(report), but=EXPLAINED), after
    assert same(report, by_command(report, capsys), but=EXPLAINED)
    assert len(counted) > 1


@pytest.mark.parametrize("stop_after", [0, 1, 77, 270, 10**6])
@pytest.mark.parametrize("sequential", [False, True])
def test_an_audit_stops_where_it_was_asked_to(place, capsys, stop_after, sequential):
    options = {"epsilon": 1.0, "runs": RUNS, "pairs": PAIRS, "sequential": sequential}
    report = privcheck.audit(place("private"), **options, stop_after=stop_after)
    assert report.stop_after == stop_after
    assert report.counted_runs == stop_after or (stop_after == 10**6 and report.counted_runs > 270)
    assert (report.epsilon_lower is None) == (stop_after == 0)
    assert same(report, by_python(report))
    assert same(report, by_command(report, capsys))
    if stop_after == 77:
        assert same(report, privcheck.audit(place("private"), **options, stop_after=stop_after, jobs=2))


def test_an_audit_that_stops_counts_the_runs_that_the_whole_audit_counts(place, monkeypatch):
    """Its events were chosen on the same runs, and no run before the counting fold is bet on."""
    seen = []
    count = Counter.__call__

    def watched(counter, sides, before=0):
        seen[-1].append((before, sides[0].numbers))
        return count(counter, sides, before)

    monkeypatch.setattr(Counter, "__call__", watched)
    for stop_after in (None, 333):
        seen.append([])
        privcheck.audit(place("batch"), epsilon=3.0, runs=RUNS, pairs=2, stop_after=stop_after)
    whole, part = (np.concatenate([numbers for _, numbers in parts]) for parts in seen)
    assert all(
        before == sum(len(n) for _, n in parts[:place]) for parts in seen for place, (before, _) in enumerate(parts)
    )
    assert np.array_equal(whole[:333], part)


def test_an_audit_by_time_is_repeated_by_its_numbers(place, capsys, monkeypatch):
    """The pilot finds other costs every time; the printed numbers do not change."""
    report = privcheck.audit(place("Policy"), epsilon=1.0, arms=2, horizon=4, time_budget=0.7)
    assert report.time_budget == 0.7
    assert report.pairs >= 2
    assert report.runs >= 20
    monkeypatch.setattr(costs, "measured_costs", lambda *_: pytest.fail("a repeated audit has no pilot"))
    assert same(report, by_python(report))
    assert same(report, by_command(report, capsys))
    for text in map(str, repeat_audit(report)):
        assert "budget" not in text


def test_the_comparison_notices_a_call_that_leaves_a_number_out(place, monkeypatch):
    """The broken twins: without `stop_after`, without `pairs`, or with time in place of them."""
    target, options = place("private"), {"epsilon": 1.0, "runs": RUNS}
    report = cut(monkeypatch, target, chunks_of(target, options | {"pairs": 4}) - 2, "interrupt", **options, pairs=4)
    assert report.stop_after > 0
    stop_after = report.stop_after
    assert same(report, privcheck.audit(target, **options, pairs=4, stop_after=stop_after), but=EXPLAINED)
    assert not same(report, privcheck.audit(target, **options, pairs=4), but=EXPLAINED)
    assert not same(report, privcheck.audit(target, **options, stop_after=stop_after), but=EXPLAINED)
    assert not same(report, privcheck.audit(target, **options, pairs=4, stop_after=stop_after - 1), but=EXPLAINED)


# What a user gave other than as text

STREAMS = {
    "floats": ([0.0, 0.5, 1.0], [1.0, 0.5, 1.0]),
    "integers": (np.array([0, 1, 1]), np.array([1, 1, 1])),
    "single precision": (np.zeros(3, np.float32), np.eye(3, dtype=np.float32)[0]),
    "long": (np.zeros(41), np.eye(41)[7]),
}


@pytest.mark.parametrize(("name", "kind"), [*(("batch", kind) for kind in STREAMS), ("Policy", "integers")])
def test_streams_of_ones_own_are_repeated(place, capsys, kind, name):
    """Arrays in memory are written out if short; the command line asks for a file, after which the streams are named.

    A file is named in both.
    """
    pair = STREAMS[kind]
    options = {"epsilon": 1.0, "runs": 200} | ({"arms": 2} if name == "Policy" else {})
    report = privcheck.audit(place(name), streams=pair, **options)
    assert report.pairs is None
    assert same(report, by_python(report, pair=pair))
    call, command = map(str, repeat_audit(report))
    assert ("pair: the two streams" in call) == (kind in ("single precision", "long"))
    assert command.endswith("--streams pair.npy  # pair.npy: the two streams, saved by numpy.save")
    np.save("pair.npy", pair)
    said = json.loads(by_command(report, capsys))
    assert said["streams"] == "'pair.npy'"
    assert said["epsilon_lower"] == report.epsilon_lower
    of_file = privcheck.audit(place(name), streams="pair.npy", **options)
    assert same(of_file, by_python(of_file))
    assert same(of_file, by_command(of_file, capsys))
    assert "#" not in "".join(map(str, repeat_audit(of_file)))


@pytest.mark.parametrize("name", ["batch", "Policy"])
def test_a_target_in_memory_is_named_in_a_comment(place, capsys, name):
    module = {}
    exec(TARGETS, module)
    target = module[name]
    report = privcheck.audit(target, epsilon=1.0, arms=2, horizon=3, runs=400, pairs=3)
    call, command = repeat_audit(report)
    assert (call.comment, command.comment) == (f"target: {name}", f"FILE.py:NAME: the place of {name}")
    assert same(report, by_python(report, target=target))
    but = ("target", "certificate", "faults")  # these name the file
    assert same(report, by_command(report, capsys, FILE=place(name)), but=but)


# The lines as they are printed


@pytest.mark.parametrize("width", [80, 200])
def test_the_terminal_prints_lines_that_can_be_pasted(place, width):
    report = privcheck.audit(place("batch"), epsilon=1.0, streams=STREAMS["floats"], runs=400)
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(details(report))
    printed = [line.rstrip() for line in console.export_text().splitlines()]
    for call in repeat_audit(report):
        lines = call.folded().splitlines()
        first = printed.index(lines[0])
        assert printed[first : first + len(lines)] == lines


@pytest.mark.parametrize("words", [5, 40])
def test_a_shell_reads_a_folded_command_as_the_line(words):
    parts = (
        "privcheck audit 'a b.py:C'",
        *(f"--option-{i} {shlex.quote(str(i) + ' #' * (i % 2))}" for i in range(words)),
    )
    call = Call(parts, "a comment", " \\")
    shown = ["sh", "-c", f"privcheck() {{ printf '%s\\0' \"$@\"; }}\n{call.folded()}\n"]
    read = subprocess.run(shown, capture_output=True, text=True, check=True).stdout.split("\0")[:-1]
    assert read == shlex.split(str(call), comments=True)[1:]
    assert max(map(len, call.folded().splitlines())) <= 79


@pytest.mark.parametrize(
    ("step", "options"),
    [
        ((fixed_runs, "judge"), {}),
        ((fixed_runs, "judge_anytime"), {"stop_after": 200}),
        ((sequential_audit, "judge_anytime"), {"sequential": True}),
    ],
)
def test_an_interrupt_while_the_counts_are_judged_loses_none(place, monkeypatch, step, options):
    module, name = step
    judged, interrupts = getattr(module, name), [KeyboardInterrupt()]

    def interrupted(*arguments):
        if interrupts:
            raise interrupts.pop()
        return judged(*arguments)

    asked = {"epsilon": 1.0, "runs": RUNS, "pairs": PAIRS, "seed": 3} | options
    whole = privcheck.audit(place("batch"), **asked)
    monkeypatch.setattr(module, name, interrupted)
    cut = privcheck.audit(place("batch"), **asked)
    assert not interrupts
    assert cut.counted_runs == whole.counted_runs > 0
    assert cut.epsilon_lower == whole.epsilon_lower
    assert same(cut, by_python(cut), but=EXPLAINED)
