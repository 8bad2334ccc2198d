"""Registries load when they are first asked, by whichever thread comes first."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import importlib, sys, threading
sys.setswitchinterval(1e-5)
registry, barrier, failed = getattr(importlib.import_module({module!r}), {name!r}), threading.Barrier(4), []
def look():
    barrier.wait()
    try:
        registry[{key!r}]
        assert len(list(registry)) == len(registry) == len(registry.summaries())
    except BaseException as error:
        failed.append(str(error))
threads = [threading.Thread(target=look) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.exit("; ".join(failed) or None)
"""


@pytest.mark.parametrize(
    ("module", "name", "key"),
    [
        ("privcheck.bandits.base", "ALGORITHMS", "adap-ucb"),
        ("privcheck.feedback._base", "FEEDBACKS", "full"),
        ("privcheck.mechanisms.base", "MECHANISMS", "randomised-response"),
        ("privcheck.environments._base", "ENVIRONMENTS", "bernoulli"),
    ],
)
def test_threads_that_look_up_at_once(module, name, key):
    """Before, three of four threads found an empty registry."""
    code = CODE.format(module=module, name=name, key=key)
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_package_that_cannot_be_imported_is_not_taken_for_an_empty_registry(monkeypatch):
    from privcheck.registry import Registry

    registry = Registry("thing", "privcheck.no_such_package")
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError):
            registry["one"]
