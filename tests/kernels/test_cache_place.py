"""Compiled code outlives the installation that compiled it, and is found by its source alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import privcheck
from privcheck.kernels import cache_folder
from privcheck.kernels._cache import fingerprint

SOURCE = """\
from privcheck.kernels import compiled


@compiled
def doubled(x):
    return 2.0 * x
"""
PLAYED = "import module; print(module.doubled(4.0), sum(module.doubled.stats.cache_hits.values()))"


@pytest.fixture
def play(tmp_path):
    """Call a compiled function of a module in a folder, in a process of its own; return its value and cache hits."""

    def played(folder, source=SOURCE):
        place = tmp_path / folder
        place.mkdir(parents=True, exist_ok=True)
        (place / "module.py").write_text(source, "utf-8")
        os.utime(place / "module.py", (len(folder), len(folder)))  # another installation has other times
        modules = [str(Path(privcheck.__file__).parents[1]), str(place)]
        kept = {"NUMBA_CACHE_DIR": str(tmp_path / "kept"), "PYTHONDONTWRITEBYTECODE": "1"}
        environment = os.environ | kept | {"PYTHONPATH": os.pathsep.join(modules)}
        done = subprocess.run(
            [sys.executable, "-P", "-c", PLAYED],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=300,
        )
        value, hits = done.stdout.split()
        return float(value), int(hits)

    return played


def test_another_installation_of_the_same_source_finds_compiled_code(play):
    assert play("one/site-packages") == (8.0, 0)
    assert play("other/site-packages") == (8.0, 1)
    assert play("other/site-packages", SOURCE.replace("2.0 *", "3.0 *")) == (12.0, 0), "another source is compiled"
    assert play("one/site-packages") == (8.0, 1), "both versions are kept"


def test_defaults_of_what_a_function_calls_are_part_of_what_it_was_compiled_from():
    """They may stand in another file, of another version, and are compiled into the caller."""

    def calling(called):
        return lambda x: called(x) + 1.0

    def scaled(x, by=2.0, *, plus=0.0):
        return x * by + plus

    found = {fingerprint(calling(scaled))}
    for scaled.__defaults__, scaled.__kwdefaults__ in (((3.0,), {"plus": 0.0}), ((2.0,), {"plus": 1.0})):
        found.add(fingerprint(calling(scaled)))
    assert len(found) == 3


def test_a_checkout_keeps_its_own(play):
    assert play("one/site-packages") == (8.0, 0)
    assert play("checkout") == (8.0, 0)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_read(play, tmp_path):
    play("one/site-packages")
    folders = [tmp_path / "kept", *(tmp_path / "kept").rglob("*/")]
    for folder in folders:
        folder.chmod(0o500)
    try:
        assert play("other/site-packages") == (8.0, 1)
        assert play("other/site-packages", SOURCE.replace("2.0 *", "3.0 *")) == (12.0, 0)
    finally:
        for folder in folders:
            folder.chmod(0o700)


def test_the_folder_names_what_compiles(monkeypatch, tmp_path):
    import numba
    import numpy as np
    from numba import config

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    folder = cache_folder()
    assert folder.parent == tmp_path / "kernels"
    assert f"numba{numba.__version__}" in folder.name
    assert f"numpy{np.__version__}" in folder.name
    monkeypatch.setattr(config, "CACHE_DIR", "")
    assert "privcheck" in cache_folder().parts
