"""Keys of chunks of a policy in an installed package: any module of that package that it imports counts."""

from __future__ import annotations

import importlib
import sys

from privcheck.scheduling import digest
from privcheck.scheduling._own_sources import own_sources

POLICY = """from installed_policy import noise


class Policy:
    def __init__(self, rng):
        self.scale = noise.SCALE
"""


def test_a_helper_of_an_installed_package_changes_the_key(tmp_path, monkeypatch) -> None:
    package = tmp_path / "site-packages" / "installed_policy"
    package.mkdir(parents=True)
    texts = {"__init__.py": "", "noise.py": "SCALE = 1.0\n", "policy.py": POLICY}
    for name, text in texts.items():
        (package / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(package.parent))
    importlib.invalidate_caches()
    try:
        policy = importlib.import_module("installed_policy.policy").Policy
        before, again = digest(policy), digest(policy)
        (package / "noise.py").write_text("SCALE = 20.0\n", encoding="utf-8")
        assert before == again != digest(policy)
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "installed_policy"]:
            del sys.modules[name]


def test_other_installed_packages_stand_for_their_modules() -> None:
    """Of numpy, which a policy of the user's names, no files are read."""
    assert own_sources([test_other_installed_packages_stand_for_their_modules]).keys() <= {__name__}
