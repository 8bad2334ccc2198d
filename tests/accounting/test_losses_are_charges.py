"""No parameter or field of mechanisms, accounting or certifying is a loss as a bare float."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import privcheck

PACKAGE = Path(privcheck.__file__).parent
FILES = [file for room in ("mechanisms", "accounting", "certifying") for file in sorted((PACKAGE / room).glob("*.py"))]


def bare_losses(source):
    """Return the parameters and fields of a source that are named after a loss or charge and hold floats."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.arg):
            name, annotation = node.arg, node.annotation
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name, annotation = node.target.id, node.annotation
        else:
            continue
        is_loss = any(word in name.lower() for word in ("loss", "charge", "paid"))
        held = "" if annotation is None else ast.unparse(annotation)
        if is_loss and "float" in held and not held.endswith(", Charge]"):
            found.append(f"{name}: {ast.unparse(annotation)}")
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_no_loss_is_a_bare_float(file):
    assert bare_losses(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def record(self, losses: Mapping[Datum, float]) -> None: ...", ["losses: Mapping[Datum, float]"]),
        ("def spend(*, loss: float = 0.0): ...", ["loss: float"]),
        ("class Release:\n    charges: dict[Datum, 'float']", ["charges: dict[Datum, 'float']"]),
        ("paid: float | None = None", ["paid: float | None"]),
        ("async def spend(*losses: float, **charges: float): ...", ["losses: float", "charges: float"]),
        ("charge: Callable[[Charge], float]", ["charge: Callable[[Charge], float]"]),
        ("charge: Callable[[float], Charge]", []),
        ("def record(self, charges: Mapping[Datum, Charge], scale: float) -> float: ...", []),
    ],
)
def test_a_bare_float_is_found(source, found):
    assert bare_losses(source) == found


def test_the_files_are_there():
    assert {"_ledger.py", "_budget_filter.py", "_session.py", "scaled.py"} <= {file.name for file in FILES}
