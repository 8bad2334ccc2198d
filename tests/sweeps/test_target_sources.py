"""Which files a target consists of."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

from privcheck.sweeps._target_sources import source_files


def write(**files):
    for name, text in files.items():
        path = Path(name.replace("__in__", "/") + ".py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def test_imports_are_followed_wherever_they_stand():
    write(
        target="import numpy, os.path\ndef f():\n    import one\ntry:\n    from two import x\nexcept E:\n    pass\n",
        one="import target\nimport three.part\n", two="x = 1\n", unused="", three__in____init__="", three__in__part="",
        three__in__other="",
    )  # fmt: skip
    expected = ["one.py", "target.py", "three/__init__.py", "three/part.py", "two.py"]
    assert list(source_files("target.py:f")) == expected
    assert list(source_files(f"{Path('target.py').resolve()}:f")) == expected


def test_packages_and_relative_imports(monkeypatch, tmp_path):
    write(
        pack__in____init__="from . import base\n", pack__in__base="from .deep.leaf import y\n",
        pack__in__target="from .other import *\nfrom pack import late\n", pack__in__other="", pack__in__late="",
        pack__in__unused="",
    )  # fmt: skip
    Path("pack/deep").mkdir()
    Path("pack/deep/__init__.py").write_text("")
    Path("pack/deep/leaf.py").write_text("from ..other import z\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    found = list(source_files("pack.target:Policy"))
    names = ("__init__", "base", "deep/__init__", "deep/leaf", "late", "other", "target")
    assert found == [f"pack/{name}.py" for name in names]


@pytest.mark.parametrize("place", ["nothing.py:X", "no_such_module:X"])
def test_what_does_not_exist_has_no_files(place):
    assert source_files(place) == {}


def test_a_file_that_is_not_python_counts_itself():
    write(target="def (:\n")
    assert list(source_files("target.py:f")) == ["target.py"]


def test_installed_modules_and_privcheck_do_not_count():
    write(target="import privcheck, numpy, json, typer\nfrom privcheck.mechanisms import Laplace\n")
    assert list(source_files("target.py:f")) == ["target.py"]


def test_an_installed_target_consists_of_its_own_package(monkeypatch, tmp_path):
    """Its other packages count by their versions alone."""
    installed = tmp_path / "installed"
    for name in ("mine", "other"):
        (installed / name).mkdir(parents=True)
        (installed / name / "__init__.py").write_text("")
    (installed / "mine" / "target.py").write_text("from . import near\nimport mine.far\nimport other\nimport json\n")
    for name in ("near", "far"):
        (installed / "mine" / f"{name}.py").write_text("")
    paths = {**sysconfig.get_paths(), "purelib": str(installed)}
    monkeypatch.setattr(sysconfig, "get_paths", lambda: paths)
    monkeypatch.setattr(sys, "path", [*sys.path, str(installed)])
    expected = [f"mine/{name}.py" for name in ("__init__", "far", "near", "target")]
    assert list(source_files("mine.target:Policy")) == expected
    assert source_files("json.decoder:JSONDecoder") == {}


@pytest.mark.parametrize(
    ("imported", "names"),
    [
        ("from .noise import laplace", ["pack/__init__.py", "pack/bandit.py", "pack/noise.py"]),
        ("from pack.noise import laplace", ["bandit.py", "pack/__init__.py", "pack/noise.py"]),
        ("from noise import laplace", ["bandit.py", "noise.py"]),
        ("import math", ["bandit.py"]),
    ],
)
def test_a_file_in_a_package_has_what_it_imports_as_it_is_loaded(imported, names, tmp_path):
    """A change of these files has to make its kept results stale."""
    for file, text in {"__init__": "", "noise": "def laplace(): pass\n", "bandit": f"{imported}\nX = 1\n"}.items():
        (tmp_path / "src" / "pack").mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / "pack" / f"{file}.py").write_text(text)
    assert list(source_files(f"{tmp_path}/src/pack/bandit.py:X")) == names
