"""What the tests of accounting share: trees of releases, which are not in a package."""

from __future__ import annotations

from tests.modules import beside

_module = beside(__file__, "release_trees", registered=True)
