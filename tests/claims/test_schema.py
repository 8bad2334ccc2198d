"""The published JSON schema: it has the fields of the findings, accepts what is written and refuses what is not."""

from __future__ import annotations

import copy
import dataclasses
import json

import pytest

from privcheck.claims import FAULTS, STATUSES, Finding, ReadingFinding
from privcheck.claims._claim import KINDS, ROLES
from privcheck.claims._finding import KEPT

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads(KEPT.with_name("claims.schema.json").read_text(encoding="utf-8"))
RUN = json.loads(KEPT.read_text(encoding="utf-8"))


def accepted(content) -> bool:
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(content)


def test_the_schema_has_the_fields_of_the_findings():
    claim, reading = SCHEMA["$defs"]["claim"], SCHEMA["$defs"]["reading"]
    assert list(claim["properties"]) == [field.name for field in dataclasses.fields(Finding)]
    with_defaults = {f.name for f in dataclasses.fields(Finding) if f.default is not dataclasses.MISSING}
    assert set(claim["properties"]) - set(claim["required"]) == with_defaults
    assert list(reading["properties"]) == [field.name for field in dataclasses.fields(ReadingFinding)]
    assert SCHEMA["$defs"]["status"]["enum"] == list(STATUSES)
    assert claim["properties"]["fault"]["enum"] == ["", *FAULTS]
    assert claim["properties"]["kind"]["enum"] == list(KINDS.options)
    assert claim["properties"]["role"]["enum"] == list(ROLES.options)


def test_the_committed_run_is_accepted():
    assert accepted(RUN)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.pop("claims"),
        lambda content: content["claims"][0].update(status="false"),
        lambda content: content["claims"][0].update(fault="sin"),
        lambda content: content["claims"][0].update(extra=1),
        lambda content: content["claims"][0].pop("quote"),
        lambda content: content["claims"][0].update(readings=[]),
        lambda content: content["claims"][0]["readings"][0].pop("evidence"),
    ],
)
def test_what_is_not_written_is_refused(change):
    content = copy.deepcopy({**RUN, "claims": RUN["claims"][:1]})
    assert accepted(content)
    change(content)
    assert not accepted(content)
