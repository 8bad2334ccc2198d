"""`make test` runs against the built wheel, not against the source tree."""

from __future__ import annotations

import os
import re
from importlib import metadata
from pathlib import Path

import pytest

import privcheck
from privcheck import bounds


@pytest.mark.skipif("PRIVCHECK_WHEEL" not in os.environ, reason="set by `make test`, which installs the wheel")
def test_the_installed_packages_are_tested() -> None:
    for package in (privcheck, bounds):
        assert "site-packages" in Path(str(package.__file__)).parts


@pytest.mark.skipif("PRIVCHECK_WHEEL" not in os.environ, reason="set by `make test`, which installs the wheel")
def test_the_wheel_holds_one_package_and_its_data() -> None:
    files = {str(file) for file in metadata.files("privcheck") or []}
    assert {"privcheck/py.typed", "privcheck/bounds/_instances/c2.toml", "privcheck/auditing/_audit.py"} <= files
    tops = {file.split("/")[0] for file in files if not file.startswith((".", "_"))}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"privcheck"}


def test_versions_agree() -> None:
    if "PRIVCHECK_WHEEL" in os.environ:
        assert metadata.version("privcheck") == privcheck.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?", privcheck.__version__)
