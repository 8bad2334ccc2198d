"""Bandits that are hard to edit: every patch holds elsewhere, is Python, and changes nothing but what it says."""

from __future__ import annotations

import difflib
import importlib.util
import subprocess
from functools import cache
from pathlib import Path

import pytest

from privcheck.fixing import _fix, diff_bytes
from privcheck.fixing._judgement import changed_elsewhere
from privcheck.fixing._look import Setting, look
from privcheck.fixing._program import NotEditableError, Program
from privcheck.fixing._search import search
from privcheck.fixing._source_text import SourceText

pytestmark = pytest.mark.long


def beside(name):
    spec = importlib.util.spec_from_file_location(f"{name}_bandits", Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


STYLES = beside("awkward").AWKWARD
FILES = {name: text.encode() for name, text in STYLES.items()}
FILES |= beside("awkward_text").files(STYLES["walrus"], STYLES["slots"])

WITHOUT = {"epsilon and rng overwritten later": "no edit can know which Generator the class has in the end"}
"""Those for which no patch is found, and why."""


@cache
def found(name, path):
    return search(SourceText.of_bytes(path, FILES[name]), "Bandit", Setting(), looks=9)


def listed(name, folder):
    """Return the file of a bandit, and its patches as `privcheck.fix` lists them."""
    path = folder / "bandit.py"
    path.write_bytes(FILES[name])
    source = SourceText.read(path)
    answer = found(name, path)
    own = _fix.OwnFile(source, "Bandit")
    return source, answer, [_fix._listed(patch, _fix.Judgement(None, ""), own) for patch in answer.patches]


@pytest.mark.parametrize("name", FILES)
def test_patches_hold_elsewhere_and_change_what_they_say(name, tmp_path):
    source, answer, patches = listed(name, tmp_path)
    assert answer.finding is not None
    assert bool(patches) is (name not in WITHOUT)
    target = f"{source.path}:Bandit"
    for patch in patches:
        third = Setting(epsilon=0.3, arms=4, horizon=160, runs=1, seed=7)
        assert look(patch.text, "Bandit", third, source.path) is None
        assert changed_elsewhere(source, patch.text, "Bandit") == ""
        after = source.encoded(patch.text)
        compile(after, "bandit.py", "exec")
        source.path.write_bytes(source.bytes_read)
        subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=diff_bytes(target, patch), check=True)
        assert source.path.read_bytes() == after
        before, now = source.bytes_read.split(b"\n"), after.split(b"\n")
        kept = difflib.SequenceMatcher(None, before, now, autojunk=False).get_matching_blocks()
        assert len(before) - sum(block.size for block in kept) <= 12, "lines that were there"


def test_names_of_files_need_not_be_in_the_encoding_of_the_text(tmp_path):
    """The diff of a text in Latin-1 named a folder in Latin-1, too, which git did not find."""
    folder = tmp_path / "größe 表"
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    source, _, patches = listed("latin-1 and CRLF", folder)
    diff = diff_bytes(f"{source.path}:Bandit", patches[0])
    subprocess.run(["git", "apply", "--check", "-"], cwd=tmp_path, input=diff, check=True)


def test_the_code_of_a_finding_is_that_of_its_line(tmp_path):
    for name in ("separators that end no line", "mixed newlines and a byte order mark"):
        source, answer, _ = listed(name, tmp_path)
        told = _fix._finding(answer.finding, source)
        assert told.code
        assert told.code in told.sentence


@pytest.mark.parametrize("written", ["update = learn", "if True:\n        def update(self, action, reward): pass"])
def test_an_update_that_is_given_otherwise_is_not_edited(written):
    """Twin: an edit of a definition that is not used, which is certified if it takes learning away."""
    text = f"class Bandit:\n    def update(self, action, reward): pass\n    {written}\n"
    with pytest.raises(NotEditableError):
        Program(text, "Bandit").told()
    assert Program(text.replace(written, "x = 1"), "Bandit").told() == ("self", "action", "reward")


def test_of_two_definitions_the_later_one_is_edited():
    text = "class Bandit:\n    def update(self): pass\n    def update(self, arm, gain, /): pass\n"
    assert Program(text, "Bandit").told() == ("self", "arm", "gain")
