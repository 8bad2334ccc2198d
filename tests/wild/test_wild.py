"""Audits of other people's implementations: declarations, arguments without privcheck, and the command."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from privcheck import bound_from_laws
from privcheck.errors import PrivcheckError

REPOSITORY = Path(__file__).parents[2]
sys.path.insert(0, str(REPOSITORY))  # `audits` is not installed

implementation = importlib.import_module("audits.wild.implementation")
command = importlib.import_module("audits.wild.__main__")
page = importlib.import_module("audits.wild.page")
playing = importlib.import_module("audits.wild.playing")
bingham = importlib.import_module("audits.wild.arguments.bingham")
declared = {wild.id: wild for wild in importlib.import_module("audits.wild.implementations").everything()}
faulty = [wild for wild in declared.values() if wild.fault is not None]
FOUND = json.loads((REPOSITORY / "audits" / "wild" / "found.json").read_text(encoding="utf-8"))["audits"]


# What is declared


def test_many_implementations_of_several_projects_are_declared():
    assert len(declared) >= 25
    assert len({wild.project.name for wild in declared.values()}) >= 10
    assert len({wild.id for wild in declared.values()}) == len(declared)


@pytest.mark.parametrize("wild", declared.values(), ids=lambda wild: wild.id)
def test_a_declaration_is_complete(wild):
    assert wild.glue_lines <= implementation.LONGEST_GLUE
    assert wild.project.version
    assert bool(wild.project.package) != bool(wild.project.owner)
    assert wild.project.licence
    assert wild.relation
    assert wild.id in wild.replay
    assert wild.expected in ("consistent", "violation")
    if wild.expected == "violation":
        assert wild.fault is not None, "a violation is published with an argument of its own"


@pytest.mark.parametrize("wild", faulty, ids=lambda wild: wild.id)
def test_an_argument_refutes_the_claim(wild):
    fault = wild.fault
    assert fault.seen_by in implementation.SEEN_BY
    assert all((fault.cause, fault.effect, fault.remedy))
    assert "upstream" in fault.upstream
    shown = fault.argument()
    assert shown.claimed == wild.epsilon
    assert shown.refutes
    assert shown.because


def test_glue_is_counted(tmp_path):
    def longer(data, rng):
        """Do nothing in six lines."""
        first = data
        second = first
        # not counted

        third = second
        fourth = third
        fifth = [fourth]
        return fifth[0]

    wild = replace(declared["diffpriv-pure-sum"], play=longer)
    assert wild.glue_lines == 6


# Arguments without privcheck


def imported_by(file):
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        if isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


def test_arguments_use_nothing_of_privcheck():
    files = [REPOSITORY / "audits" / "wild" / "implementation.py"]
    files += (REPOSITORY / "audits" / "wild" / "arguments").glob("*.py")
    assert len(files) > 5
    assert not [file for file in files if any(name.split(".")[0] == "privcheck" for name in imported_by(file))]


def test_arguments_run_where_privcheck_cannot_be_imported():
    code = (
        "import sys; sys.modules['privcheck'] = None\n"
        "from audits.wild.arguments.successive_elimination import swapped_polya_parameter as argument\n"
        "assert argument().refutes"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True, env={"PYTHONPATH": str(REPOSITORY)})


def test_the_quadrature_of_the_right_sampler_keeps_the_map(monkeypatch):
    """The broken twin of the argument: with Bingham's own density the same quadrature stays below the map."""

    def right(rows, cosine):
        return -rows * bingham.UNIT_EPSILON / 4.0 * (1.0 - np.square(cosine))

    monkeypatch.setattr(bingham, "log_density", right)
    assert not bingham.inverted_acceptance().refutes


def test_draws_of_opendp_follow_the_inverted_law():
    """With a fixed seed: nothing here is left to chance."""
    inverted, right = bingham.samples_against_both_laws(120)
    assert inverted > 0.01
    assert right < 1e-3


class AcceptedCosines:
    """The law of the cosine between an accepted output and the rows, known up to a factor."""

    normalised = False

    def __init__(self, rows):
        self.rows = rows

    def logpdf(self, cosine):
        return bingham.log_density(self.rows, cosine) + (bingham.DIMENSION - 3) / 2 * np.log1p(-np.square(cosine))

    def support(self):
        return -1.0, 1.0


def test_the_density_of_accepted_outputs_refutes_the_map():
    few, more = map(AcceptedCosines, bingham.ROWS)
    found = bound_from_laws(few, more, epsilon=bingham.UNIT_EPSILON / 2)
    assert found.verdict == "violation"
    assert 1.4 < found.epsilon_lower < 1.4328


def test_an_argument_that_shows_less_than_the_claim_does_not_refute():
    assert not implementation.Shown(1.0, 1.0, "").refutes
    assert implementation.Shown(1.0, math.inf, "").refutes


# The command


def test_what_is_missing_is_named_with_the_line_that_gets_it(tmp_path, capsys):
    absent = replace(declared["opendp-geometric"].project, package="privcheck-has-no-such-package")
    assert absent.lacks(None).startswith("pip install privcheck-has-no-such-package==")
    other = replace(declared["opendp-geometric"].project, version="0.0.1")
    assert "installed: " in other.lacks(None)
    assert command.main(["keirp-binary", "--repositories", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "not audited: keirp-binary" in said
    assert "keirp/private-bandits at e666280" in said


def test_a_package_that_is_too_new_for_another_is_named():
    installed = replace(declared["opendp-geometric"].project, package="numpy", version=np.__version__)
    old = replace(installed, below=(("scipy", "0.1"),))
    assert old.lacks(None).startswith(f"pip install numpy=={np.__version__} 'scipy<0.1' (installed: numpy ")
    assert f", scipy {importlib.metadata.version('scipy')})" in old.lacks(None)
    assert replace(installed, below=(("scipy", "1000"),)).lacks(None) == ""
    assert replace(installed, below=(("privcheck-has-no-such-package", "0.1"),)).lacks(None) == ""


def test_a_checkout_at_another_commit_is_named(tmp_path):
    project = declared["keirp-binary"].project
    checkout = tmp_path / project.name
    checkout.mkdir()
    assert project.lacks(tmp_path) == "", "git does not know the commit of an unpacked archive"
    who = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
    for asked in (["init", "-q"], [*who, "commit", "-q", "--allow-empty", "-m", "other"]):
        subprocess.run(["git", "-C", str(checkout), *asked], check=True)
    ask = ["git", "-C", str(checkout), "rev-parse", "HEAD"]
    commit = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip()
    assert project.lacks(tmp_path) == f"{project.how_to_get} (it is at {commit[:7]})"
    assert replace(project, version=commit[:7]).lacks(tmp_path) == ""


@pytest.mark.chance(1e-9, "one verdict on a true claim at this error", fresh=True)
def test_an_audit_is_recorded_and_the_page_is_made_of_it(tmp_path, capsys, monkeypatch):
    """At an error of 1e-9: the truth is the claim, and OpenDP takes no seed."""

    def audited(wild, **options):
        return playing.audit(replace(wild, options=wild.options | {"error": 1e-9}), **options)

    monkeypatch.setattr(command, "audit", audited)
    found, written = tmp_path / "found.json", tmp_path / "wild.md"
    arguments = ["opendp-geometric", "--runs", "300", "--json", str(found), "--markdown", str(written)]
    assert command.main(arguments) == 0
    assert "opendp-geometric" in capsys.readouterr().out
    stored = json.loads(found.read_text(encoding="utf-8"))["audits"]["opendp-geometric"]
    assert stored["verdict"] != "violation"
    assert stored["runs"] == 300
    assert "`then_count` and `then_geometric`" in written.read_text(encoding="utf-8")


def test_twice_the_claim_is_refuted():
    """A broken twin: the same measurement with a claim of a quarter."""
    twin = replace(declared["opendp-geometric"], epsilon=0.25)
    assert playing.audit(twin, runs=1000).verdict == "violation"


def test_what_is_played_apart_is_looked_for_in_its_own_interpreter(capsys):
    wild = declared["tumult-geometric"]
    absent = replace(wild, project=replace(wild.project, package="privcheck-has-no-such-package"))
    for python in (sys.executable, "/no/such/python"):
        assert "in an environment of its own, then add --python" in absent.project.lacks(None, python)
    here = replace(wild.project, package="numpy", version=np.__version__)
    assert here.lacks(None, sys.executable) == ""
    assert "--python tmlt-core=PATH" in wild.replay
    assert command.main(["tumult-geometric", "--python", "tmlt-core"]) == 2
    assert "NAME=PATH" in capsys.readouterr().err


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error", fresh=True)
def test_an_audit_in_another_interpreter_refutes_a_leaky_twin_and_not_the_correct_one():
    """Glue that needs no package, given the number of an input."""
    correct, leaky = (playing_apart(f"tests.wild.apart:{name}") for name in ("noisy_count", "count"))
    assert correct.verdict != "violation"
    assert leaky.verdict == "violation"
    assert correct.randomness == "independent"


def playing_apart(place):
    module, name = place.split(":")
    entry = declared["tumult-geometric"]
    return playing.audit(
        replace(entry, play=getattr(importlib.import_module(module), name), options=entry.options | {"error": 1e-6}),
        runs=1000,
    )


def test_a_domain_of_public_categories_does_not_refute(monkeypatch):
    """The corrected twin of the argument about MWEM: with bins for all categories every synthetic row is possible."""
    domain = importlib.import_module("audits.wild.arguments.data_as_domain")
    assert domain.range_of_the_column().least == math.inf
    monkeypatch.setattr(domain, "synthetic_law", lambda column: {0: 0.5, 1: 0.5})
    assert not domain.range_of_the_column().refutes


def test_bad_input_is_one_line(tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        command.main(["no-such-audit"])
    assert stopped.value.code == 2
    assert "no audit named 'no-such-audit'" in capsys.readouterr().err
    broken = tmp_path / "found.json"
    broken.write_text("[]", encoding="utf-8")
    assert command.main(["--json", str(broken), "--page-only"]) == 2
    assert "a file that this command wrote" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command.main(["--repositories", str(tmp_path / "nowhere")])


def test_code_that_cannot_be_called_is_named(monkeypatch, capsys):
    def broken():
        raise RuntimeError("moved away")

    twin = replace(declared["opendp-geometric"], play=broken)
    with pytest.raises(PrivcheckError, match="moved away"):
        playing.target_of(twin)


def test_the_committed_page_is_made_of_the_committed_record():
    assert (REPOSITORY / "docs" / "evidence" / "wild.md").read_text(encoding="utf-8") == page.page(declared, FOUND)


def disclosed(wild, text):
    """Tell whether a page shows a fault: its cause, its argument, or what is audited, beside its project."""
    fault = wild.fault
    return fault.cause in text or fault.remedy in text or f"{wild.project.source}: {wild.what}" in text


@pytest.mark.parametrize("wild", faulty, ids=lambda wild: wild.id)
def test_a_fault_is_on_the_site_only_if_its_maintainers_know_of_it(wild):
    pages = "\n".join(file.read_text("utf-8") for file in (REPOSITORY / "docs").rglob("*.md"))
    assert disclosed(wild, pages) == wild.fault.is_published
    told = replace(wild, fault=replace(wild.fault, upstream="known upstream: issue 1"))
    assert disclosed(told, page.page({wild.id: told}, FOUND))


def test_the_head_of_the_page_counts_what_its_rows_say():
    names = ["opendp-laplace", "opendp-geometric", "opendp-eigenvector", "feducb-messages"]
    shown = {name: declared[name] for name in names}
    record = {name: FOUND[name] | {"cpu_seconds": 40.0} for name in names}
    for name in names[:2]:
        record[name] = record[name] | {"verdict": "inconclusive" if name == "opendp-laplace" else "consistent"}
    head = " ".join(page.page(shown, record).split("## ")[0].split())
    assert "4 implementations of differential privacy, from 2 packages and repositories" in head
    assert "2 of them keep their claims as far as such an audit can see (1 of these audits inconclusive). 2 do" in head
    assert "the audits refute 1 of them as well (shown by the argument alone: 1)" in head
    assert "took 3 minutes of processor time" in head


def test_the_committed_record_is_as_expected():
    assert FOUND.keys() == declared.keys()
    assert len(FOUND) >= 25
    for name, found in FOUND.items():
        assert declared[name].as_expected(found["verdict"]), name
        assert found["source"] == declared[name].project.source
