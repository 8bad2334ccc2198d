"""The page of a failed test, which stays in the output folder of the project."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from privcheck.errors import PrivcheckError
from privcheck.testing._project import setting
from privcheck.testing._running import Running, current

if TYPE_CHECKING:
    from privcheck.results import AuditReport, Certificate, WatchReport

LONGEST = 120
"""Characters of a file name, of the 255 that file systems allow."""


def page_name(node: str, number: int = 1) -> str:
    """Return the file name of the page of a test's assertion, counted from 1.

    >>> page_name("tests/test_shop.py::test_it[a b]"), page_name("test_shop.py::test_it", 2)
    ('tests-test_shop.py-test_it-a-b.html', 'test_shop.py-test_it.2.html')
    """
    name = re.sub(r"[^\w.]+", "-", node, flags=re.ASCII).strip("-.")
    if len(name) > LONGEST:
        name = f"{name[:LONGEST]}-{hashlib.sha256(node.encode()).hexdigest()[:8]}"
    return f"{name}.html" if number == 1 else f"{name}.{number}.html"


def keep_page(result: AuditReport | Certificate | WatchReport) -> list[str]:
    """Write the page of a failed test and return a line that says where; nothing without an output folder."""
    test = current()
    folder = _folder(test)
    if folder is None or not test.node:
        return []
    page = folder / page_name(test.node, len(test.pages) + 1)
    try:
        result.save_html(page)
    except PrivcheckError as error:
        return [f"Page: not written: {error}"]
    shown = page.relative_to(test.config.rootpath) if page.is_relative_to(test.config.rootpath) else page
    test.pages.append(shown.as_posix())
    return [f"Page: {shown.as_posix()}"]


def remove_old_pages(test: Running) -> None:
    """Remove the pages of earlier failures of a test that has not written them in this run."""
    try:
        folder = _folder(test)
    except PrivcheckError:  # said by the assertion
        return
    if folder is None:
        return
    for number in range(len(test.pages) + 1, 100):
        page = folder / page_name(test.node, number)
        if not page.is_file():
            break
        page.unlink(missing_ok=True)


def _folder(test: Running) -> Path | None:
    name = setting("output", test.output)
    return None if name is None else Path(test.config.rootpath) / name
