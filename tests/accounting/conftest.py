"""What the tests of accounting share: trees of releases, which are not in a package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_spec = importlib.util.spec_from_file_location("release_trees", Path(__file__).with_name("release_trees.py"))
_module = importlib.util.module_from_spec(_spec)
sys.modules["release_trees"] = _module
_spec.loader.exec_module(_module)
