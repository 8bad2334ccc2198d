"""The files of a published project: they parse, agree with each other, and name nothing that does not exist."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import privcheck
from privcheck.bandits import ALGORITHMS

yaml = pytest.importorskip("yaml")

REPOSITORY = Path(__file__).parent.parent
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
OURS = "The privcheck developers"
LINKED = ("CHANGELOG.md", "CONTRIBUTING.md", "MIGRATING.md", ".github/SECURITY.md", ".github/CODE_OF_CONDUCT.md")


def text_of(name):
    return (REPOSITORY / name).read_text("utf-8")


def read(name):
    return yaml.safe_load(text_of(name))


def test_all_files_name_the_same_project():
    citation, codemeta = read("CITATION.cff"), json.loads(text_of("codemeta.json"))
    recipe = read("packaging/conda/recipe.yaml")
    assert citation["authors"] == [{"name": OURS}]
    assert [author["name"] for author in codemeta["author"]] == [OURS] == [PROJECT["authors"][0]["name"]]
    assert codemeta["description"] == PROJECT["description"] == recipe["about"]["summary"]
    assert citation["title"] == yaml.safe_load(text_of("paper/paper.md").split("---\n")[1])["title"]
    assert citation["version"] == codemeta["version"] == privcheck.__version__
    assert f"## {citation['version']} - {citation['date-released']}\n" in text_of("CHANGELOG.md")
    assert citation["license"] == PROJECT["license"] == recipe["about"]["license"]
    assert codemeta["license"].endswith("/" + PROJECT["license"])
    assert citation["keywords"] == PROJECT["keywords"] == codemeta["keywords"]
    assert codemeta["runtimePlatform"] == f"Python {PROJECT['requires-python'].replace('>=', '>= ')}"


def dependencies_of(recipe):
    return {line.replace(" ", "") for line in recipe["requirements"]["run"] if not line.startswith("python ")}


def test_the_recipe_has_the_dependencies_of_the_package():
    assert dependencies_of(read("packaging/conda/recipe.yaml")) == set(PROJECT["dependencies"])


def test_the_site_is_built_with_an_extra_that_exists():
    site = read(".readthedocs.yaml")
    (install,) = site["python"]["install"]
    assert set(install["extra_requirements"]) <= set(PROJECT["optional-dependencies"])
    assert (REPOSITORY / site["sphinx"]["configuration"]).is_file()


@pytest.mark.parametrize(
    "file", sorted((REPOSITORY / ".github" / "ISSUE_TEMPLATE").glob("*_*.yml")), ids=lambda f: f.stem
)
def test_a_form_for_issues_asks_for_what_it_needs(file):
    form = yaml.safe_load(file.read_text("utf-8"))
    assert form["name"]
    assert form["description"]
    asked = [part for part in form["body"] if part["type"] != "markdown"]
    assert len({part["id"] for part in asked}) == len(asked)
    assert any(part.get("validations", {}).get("required") for part in asked)
    assert all(part["attributes"]["label"] for part in asked)


@pytest.mark.parametrize(
    ("form", "private", "public"),
    [("false_alarm", "A false accusation", "refuses code that is private"),
     ("missed_leak", "A certificate that should not have been granted", "about code that leaks")],
)  # fmt: skip
def test_forms_for_issues_say_what_is_reported_in_private_as_the_policy_does(form, private, public):
    """A form once asked for false accusations, which the policy wants in private."""
    told = yaml.safe_load(text_of(f".github/ISSUE_TEMPLATE/{form}.yml"))
    (first,) = [part for part in told["body"] if part["type"] == "markdown"]
    assert first["attributes"]["value"].startswith(private)
    assert "SECURITY.md" in first["attributes"]["value"]
    asked_for = told["name"] + told["description"]
    assert not any(word in asked_for for word in ("accus", "violation", "granted", "wrong line"))
    in_private, in_issues = " ".join(text_of(".github/SECURITY.md").split()).split("No vulnerabilities are")
    assert private.lower() in in_private.replace("**", "").lower()
    assert public in in_issues


@pytest.mark.parametrize("name", LINKED)
def test_links_between_files_lead_somewhere(name):
    folder = (REPOSITORY / name).parent
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text_of(name)) if "://" not in link]
    assert [link for link in links if link and not (folder / link).exists()] == []


def test_the_paper_cites_entries_that_exist_and_is_of_the_right_length():
    paper, entries = (
        text_of("paper/paper.md"),
        set(re.findall(r"^@\w+\{([\w-]+),", text_of("paper/paper.bib"), re.MULTILINE)),
    )
    head, body = paper.split("---\n", 2)[1:]
    cited = set(re.findall(r"@([\w-]+)", body))
    assert cited == entries
    assert yaml.safe_load(head)["authors"][0]["name"] == OURS
    assert 750 <= len(body.split()) <= 1750  # as the Journal of Open Source Software asks
    sections = (
        "Summary", "Statement of need", "State of the field", "Software design", "Research impact statement",
        "AI usage disclosure", "Acknowledgements", "References",
    )  # fmt: skip
    assert re.findall(r"^# (.*)", body, re.MULTILINE) == list(sections)


def test_the_paper_counts_the_algorithms_that_are_shipped():
    """All private ones but one are certified: tests/bandits/test_certificates.py and test_linear_privacy.py."""
    private = [name for name in ALGORITHMS if ALGORITHMS[name].private]
    sentence = " ".join(text_of("paper/paper.md").split())
    assert f"{len(private)} private algorithms are shipped as reference implementations" in sentence
    assert f"{len(private) - 1} are certified" in sentence


def test_numbers_in_the_paper_stand_in_the_table_of_auditors():
    lines = text_of("docs/evidence/rivals-seeds.md").splitlines()
    rows = [line.split("|")[1:-1] for line in lines if line.startswith("| ")][1:]
    valid = [row for row in rows if row[-1].strip() == "yes"]
    own = next(row for row in rows if row[0].strip() == "privcheck, audit")
    shown = {column: [_mean(row[column]) for row in valid if row is not own] for column in (3, 5)}
    best = [max(number for number in shown[column] if number is not None) for column in (3, 5)]
    sentence = " ".join(text_of("paper/paper.md").split())
    assert f"shows {_mean(own[3]):.3f} of 1.307" in sentence
    assert f"{_mean(own[5]):.3f} of 4.031" in sentence
    assert f"shows {best[0]:.3f} and {best[1]:.3f}" in sentence


def _mean(cell):
    found = re.match(r"\s*([\d.]+)", cell)
    return float(found[1]) if found else None


@pytest.mark.skipif(shutil.which("pandoc") is None, reason="needs pandoc")
def test_the_paper_is_typeset(tmp_path):
    command = ["pandoc", "paper.md", "--citeproc", "--bibliography=paper.bib", "-o", str(tmp_path / "paper.html"), "-s"]
    subprocess.run(command, cwd=REPOSITORY / "paper", check=True, timeout=120)
    assert "Dwork" in (tmp_path / "paper.html").read_text("utf-8")


def test_the_readme_is_short_and_answers_first():
    lines = text_of("README.md").splitlines()
    assert len(lines) <= 120
    assert any("✗ violation" in line for line in lines[:40])
