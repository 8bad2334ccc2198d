"""Completion of the shell: asked as bash does, and by bash itself."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import privcheck
from privcheck.cli import run

PLACES = str(Path(privcheck.__file__).parents[1])


@pytest.fixture
def command(tmp_path):
    """Return an environment in which `privcheck` is this one."""
    file = tmp_path / "bin" / "privcheck"
    file.parent.mkdir()
    code = "import sys; sys.argv[0] = 'privcheck'; from privcheck.cli import main; main()"
    file.write_text(f'#!/bin/sh\nexec {sys.executable} -P -c "{code}" "$@"\n')
    file.chmod(0o755)
    return os.environ | {"PYTHONPATH": PLACES, "PATH": f"{file.parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [("privcheck au", {"audit"}), ("privcheck audit --ep", {"--epsilon"}), ("privcheck in", {"init"})],
)
def test_the_answer_to_a_shell_has_status_0(words, expected, monkeypatch, capsys):
    monkeypatch.setenv("_PRIVCHECK_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
    monkeypatch.setattr(sys, "argv", ["privcheck"])
    assert run() == 0
    out, err = capsys.readouterr()
    assert set(out.split()) == expected
    assert err == ""


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes(command):
    script = """
    eval "$(privcheck --show-completion bash)" || exit 9
    COMP_WORDS=(privcheck certify --nei) COMP_CWORD=2
    _privcheck_completion privcheck
    echo "${COMPREPLY[@]}"
    """
    found = subprocess.run(["bash", "-c", script], env=command, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout.strip(), found.stderr) == (0, "--neighbours", "")


def test_a_shell_without_completion_is_bad_input(monkeypatch, capsys):
    """1 would say "violation"."""
    monkeypatch.setenv("_PRIVCHECK_COMPLETE", "complete_tcsh")
    assert run([]) == 2
    assert "tcsh" in capsys.readouterr().err
