"""Every option of an audit and of a certificate has one declaration, and what is written out agrees with it."""

from __future__ import annotations

import inspect
import math
import re
import sys
from dataclasses import fields, replace

import pytest
import typer

from privcheck import PrivcheckError, audit, certify, frontier, simulate
from privcheck.cli._audit_command import audit as audit_command
from privcheck.cli._bounds_command import bounds as bounds_command
from privcheck.cli._certify_command import certify as certify_command
from privcheck.cli._command_options import DECLARED
from privcheck.cli._described.help_pages import SECTIONS
from privcheck.cli._frontier_command import frontier as frontier_command
from privcheck.cli._options import reward_range
from privcheck.cli._simulate_command import simulate as simulate_command
from privcheck.declared import Choice, Integer, Real, Switch
from privcheck.privacy import Contexts
from privcheck.reporting._text.repeating import repeat_audit
from privcheck.results import AuditReport, Outcome
from privcheck.targets import CertifySettings, FrontierSettings, Settings, SimulateSettings
from tests.example_results import VIOLATION

FUNCTIONS = {"audit": (audit, Settings), "certify": (certify, CertifySettings)}
FUNCTIONS |= {"simulate": (simulate, SimulateSettings), "frontier": (frontier, FrontierSettings)}
COMMANDS = {"audit": (audit_command, Settings, set()), "certify": (certify_command, CertifySettings, set())}
UNUSUAL = {"rewards": (-1.0, 1.0), "neighbours": "reward", "contexts": Contexts(shape=(2,), norm=1.0)}
UNUSUAL |= {"encode": "math:sqrt", "tradeoff": ((0.0, 1.0), (0.25, 0.25), (1.0, 0.0))}
UNUSUAL |= {"scheduler": "local:2", "store": "kept"}
UNUSUAL |= {"accountants": {"gdp": 0.5, "zcdp": 0.5}}
"""Values of the options whose domains do not tell one."""


def unusual(option):
    """Return a legal value of a declared option that is not its default."""
    domain = getattr(option.metadata["domain"], "inner", option.metadata["domain"])
    match domain:
        case Choice(options=names):
            return next(name for name in names if name != option.default)
        case Integer(low=low):
            return low + 7
        case Real():
            return 0.625
        case Switch():
            return not option.default
    return UNUSUAL[option.name]


def differences(function, settings):
    """Return where a signature and its docstring differ from the declarations, in words."""
    written = {
        p.name: None if p.default is p.empty else p.default
        for p in inspect.signature(function).parameters.values()
        if p.name not in ("target", "policies")
    }
    declared = {option.name: option.default for option in settings.options()}
    found = [f"{name}: in one of them only" for name in set(written) ^ set(declared)]
    shared = set(written) & set(declared)
    found += [f"{name}: {written[name]} and {declared[name]}" for name in shared if written[name] != declared[name]]
    described = re.findall(r"^(\w+(?:, \w+)*) :", inspect.getdoc(function), re.MULTILINE)
    known = {name for names in described for name in names.split(", ")}
    return sorted(found + [f"{name}: not described" for name in set(written) - known])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_signature_is_the_declared_one(name):
    assert differences(*FUNCTIONS[name]) == []


@pytest.mark.parametrize("settings", [settings for _, settings in FUNCTIONS.values()])
def test_an_option_is_declared_in_one_part(settings):
    declared = [option.name for part in fields(settings) for option in fields(part.default_factory)]
    assert len(set(declared)) == len(declared)
    assert set(settings.NAMES) <= set(declared)
    assert settings is not Settings or set(settings.NAMES) == set(declared)
    options = {
        name: unusual(option) for option in settings.options() if (name := option.name) in ("runs", "seed", "jobs")
    }
    given = settings.of(**options)
    assert {name: given.value(name) for name in options} == options
    with pytest.raises(PrivcheckError, match=r"seeds: got 1, expected no such parameter .*; did you mean 'seed'\?"):
        settings.of(seeds=1)


def test_few_options_of_a_command_are_written_by_hand():
    for command in (audit_command, certify_command, bounds_command, simulate_command, frontier_command):
        declared = DECLARED[command.__name__]
        written = set(inspect.signature(command).parameters) - {option.name for option in declared}
        assert len(written) <= 8, command.__name__


def test_the_comparison_notices_each_difference():
    """The broken twin: an option too few, one too many, another default, one without description."""

    def twin(target, *, epsilon=None, budget=1, seed=1, **_):
        """Audit.

        epsilon : the claim.
        budget, _ : more.
        """

    found = differences(twin, Settings)
    for difference in ("delta: in one", "budget: in one", "seed: 1 and 0", "seed: not described"):
        assert any(line.startswith(difference) for line in found)
    assert not [line for line in found if line.startswith("epsilon")]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_has_the_declared_options(name):
    command, settings, left_out = COMMANDS[name]
    app = typer.Typer(add_completion=False)
    app.command()(command)
    options = {parameter.name: parameter for parameter in typer.main.get_command(app).params}
    headed = {option for names in SECTIONS[name].values() for option in names}
    for declared in settings.options():
        assert (declared.name in options) == (declared.name not in left_out)
        if declared.name in options:
            option = options[declared.name]
            assert option.help == declared.metadata["doc"]
            default = reward_range(option.default) if declared.name == "rewards" else option.default
            assert default == declared.default
            assert declared.name in headed


def test_a_report_has_a_field_for_every_option_that_it_repeats():
    assert {field.name for field in fields(AuditReport)} >= set(Settings.repeated())
    silent = {option.name for option in Settings.options()} - {option.name for option in Settings.repeated().values()}
    assert silent == {"streams", "encode", "law", "jobs", "scheduler", "store", "time_budget", "randomness"}


@pytest.mark.parametrize("field", Settings.repeated())
def test_the_repeated_call_has_every_unusual_option(field):
    option = Settings.repeated()[field]
    value = unusual(option)
    call = str(repeat_audit(replace(VIOLATION, **{field: value})).python)
    assert f"{option.name}={'privcheck.' if option.name == 'contexts' else ''}{value!r}" in call


def test_the_repeated_call_has_no_usual_option():
    names = re.findall(r"(\w+)=", str(repeat_audit(replace(VIOLATION, target="a.py:b", feedback="bandit")).python))
    assert names == ["epsilon", "arms", "horizon", "runs", "seed"]


def test_a_report_repeats_what_was_asked():
    asked = {"confidence": 0.9, "error": 0.01, "neighbours": "reward", "seed": 9, "time_budget": 500.0, "delta": 1e-6}
    report = audit("rnm-ftnl-published", epsilon=1.0, arms=3, horizon=3, runs=200, **asked)
    assert {name: getattr(report, name) for name in asked} == asked
    assert (report.epsilon_claimed, report.arms, report.horizon, report.runs) == (1.0, 3, 3, 200)


def test_a_text_is_read_back_as_text():
    """Infinities are texts in JSON; a field of text may hold the same text."""
    words = {"verdict", "neighbours"}  # of which only some can be read
    texts = [
        field.name for field in fields(AuditReport) if str(field.type).startswith("str") and field.name not in words
    ]
    assert {"target", "engine", "observe"} <= set(texts)
    report = replace(VIOLATION, epsilon_lower=math.inf, **dict.fromkeys(texts, "inf"))
    again = AuditReport.from_json(report.to_json())
    assert [getattr(again, name) for name in texts] == ["inf"] * len(texts)
    assert again.epsilon_lower == math.inf


def test_a_switch_is_true_or_false():
    with pytest.raises(PrivcheckError, match="sequential: got 'no', expected True or False"):
        audit("ucb", epsilon=1.0, sequential="no")


def test_a_report_has_all_of_the_outcome(monkeypatch):
    found = {field.name: object() for field in fields(Outcome)} | {"witness": None, "notes": ("a note",)}
    found |= {"verdict": "inconclusive"}
    found |= {"refused_pairs": 0, "screening_runs": 4, "counted_runs": 2}
    monkeypatch.setattr(sys.modules["privcheck.auditing._play"], "_counted", lambda *_: Outcome(**found))
    report = audit("ucb", arms=2, horizon=2, runs=20)
    del found["refused_pairs"]  # the search says so
    assert {name: getattr(report, name) for name in found} == found | {"notes": ["a note"]}
