"""A theorem of one's own: declared twice by the same cell, cited as nothing, and explained as what it is."""

import pytest

from privcheck import PrivcheckError, explain
from privcheck.bounds import THEOREMS, Instance, evaluate, named_instance, theorem

QUANTITY = THEOREMS["azize-basu-2022/thm7"].quantity
INSTANCE = Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=10_000)
CELL = '''
@theorem("mine/half", kind="upper", quantity=QUANTITY, provenance="derived", source="a draft, Theorem 1")
def half(instance):
    """Half of the horizon."""
    return instance.horizon / {divisor}
'''


@pytest.fixture(autouse=True)
def registry():
    known = dict(THEOREMS)
    yield
    THEOREMS.clear()
    THEOREMS.update(known)


def run_cell(divisor=2, module="__main__"):
    exec(CELL.format(divisor=divisor), {"theorem": theorem, "QUANTITY": QUANTITY, "__name__": module})


def test_a_cell_that_runs_again_replaces_its_theorem():
    run_cell(2)
    run_cell(4)
    assert evaluate(INSTANCE).of("mine/half").value == 2500
    assert len([name for name in THEOREMS if name.startswith("mine/")]) == 1


def test_another_function_is_refused_and_told_how_to_take_the_first_out():
    run_cell()
    with pytest.raises(PrivcheckError, match=r"an id that is not taken; .*del privcheck\.bounds\.THEOREMS"):
        run_cell(module="elsewhere")
    with pytest.raises(PrivcheckError, match="not taken"):
        theorem("mine/half", kind="upper", quantity=QUANTITY, provenance="derived", source="s")(lambda instance: 1.0)


def test_two_modules_of_this_package_do_not_replace_each_other():
    run_cell(module="privcheck.bounds.somewhere")
    with pytest.raises(PrivcheckError, match="not taken"):
        run_cell(module="privcheck.bounds.somewhere")


def test_it_has_no_entry_and_breaks_none():
    run_cell()
    found = evaluate(INSTANCE)
    assert "@inproceedings{azize-basu-2022," in found.to_bibtex()
    assert r"\cite{mine}" not in found.to_latex()
    assert found.rows()[-1]["cite"] == ""


def test_it_is_not_explained_as_derived_by_this_project():
    run_cell()
    assert "by this project" not in explain("mine/half")
    assert "a draft, Theorem 1 (derived; declared in __main__)" in explain("mine/half")


def test_what_this_project_derived_cites_the_paper_those_it_names_and_itself():
    found = evaluate(named_instance("c2", epsilon=1.0, horizon=10**6))
    rows = {row["id"]: row["cite"] for row in found.rows("applicable")}
    assert rows["azize-basu-2022/thm3"] == "azize-basu-2022"
    assert rows["azize-basu-2022/thm3-tight"] == "azize-basu-2022,azize-2025,privcheck"
    assert "azize-2025" in found.to_bibtex()
    assert r"\cite{azize-basu-2022,azize-2025,privcheck}" in found.to_latex("applicable")
