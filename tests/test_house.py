"""The house: everything registered is documented, sourced and audited, files stay small."""

from __future__ import annotations

import ast
import doctest
import importlib
import importlib.util
import inspect
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck import bounds
from privcheck.auditing._declared_audit import DeclaredAudit
from privcheck.bandits import ALGORITHMS
from privcheck.environments import ENVIRONMENTS
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import MECHANISMS
from privcheck.registry import Registry, summary

REPOSITORY = Path(__file__).parents[1]
PACKAGE = Path(privcheck.__file__).parent
FILES = [*sorted(PACKAGE.rglob("*.py")), *sorted((REPOSITORY / "audits").glob("*.py"))]


# Algorithms and their audits


def declared_audits() -> dict[str, object]:
    modules = {}
    for file in sorted((REPOSITORY / "audits").glob("*.py")):
        if not file.stem.startswith("_"):
            spec = importlib.util.spec_from_file_location(f"house_{file.stem}", file)
            modules[file.stem] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(modules[file.stem])
    return modules


PRIVATE = [name for name in ALGORITHMS if ALGORITHMS[name].private]
OTHERS = [name for name in ALGORITHMS if not ALGORITHMS[name].private]


def sections(documented: type) -> dict[str, str]:
    """Return the sections of a class's own docstring, by heading: underlined, "Source:" or "Notion:" alike."""
    found, current = {}, ""
    lines = inspect.cleandoc(documented.__dict__.get("__doc__") or "").splitlines()
    for line, below in zip(lines, [*lines[1:], ""], strict=False):
        if below and set(below) == {"-"}:
            current = line
            found[current] = ""
        elif line.startswith("Source:"):
            current = "Source"
            found[current] = line.removeprefix("Source:").strip()
        elif set(line) != {"-"}:
            found[current] = f"{found.get(current, '')} {line}".strip()
    return found


def own_examples(documented: type) -> int:
    return len(doctest.DocTestParser().get_examples(documented.__dict__.get("__doc__") or ""))


def test_there_are_private_and_other_algorithms():
    assert len(PRIVATE) >= 4
    assert len(OTHERS) >= 2


@pytest.mark.parametrize("name", PRIVATE)
def test_every_private_algorithm_is_audited(name):
    module = declared_audits()[name.replace("-", "_")]
    assert isinstance(module.AUDIT, DeclaredAudit)
    assert module.AUDIT.target.partition("(")[0] == name
    assert module.AUDIT.expected == ("violation" if name.endswith("-published") else "consistent")
    assert len(module.__doc__.split()) > 15
    assert module.AUDIT.least_lower_bound > 0.0, "an audit that sees nothing proves nothing"


def test_every_audit_has_a_target_that_exists():
    modules = declared_audits()
    assert len(modules) >= len(PRIVATE)
    for stem, module in modules.items():
        target = module.AUDIT.target
        if ":" in target:
            assert Path(target.rpartition(":")[0]).is_file()
        else:
            assert target.partition("(")[0] in ALGORITHMS
            assert stem == target.partition("(")[0].replace("-", "_")


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_every_algorithm_says_what_it_guarantees_and_where_it_is_from(name):
    cls = ALGORITHMS[name]
    found = sections(cls)
    assert cls.__dict__["id"] == name
    assert cls.__dict__["source"], "an inherited source is the source of something else"
    about = f"to the docstring of {cls.__name__} add, below the heading"
    guarantee, source = found.get("Guarantee", ""), found.get("Source", "")
    assert len(guarantee.split()) >= 10, f"{about} Guarantee, what holds, in ten words or more; it has {guarantee!r}"
    assert len(source.split()) >= 4, f"{about} Source, the paper and the place in it, in four words; it has {source!r}"
    assert found.get("Parameters"), f"{about} Parameters, what each of them is"
    order = [heading for heading in found if heading in ("Parameters", "Guarantee", "Source", "Examples")]
    assert order == sorted(order, key=["Parameters", "Guarantee", "Source", "Examples"].index)


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_every_algorithm_has_an_example_that_runs(name):
    """An example inherited from another class does not count."""
    cls = ALGORITHMS[name]
    assert own_examples(cls) >= 1
    module = importlib.import_module(cls.__module__)
    finder = doctest.DocTestFinder(recurse=False)
    (test,) = finder.find(cls, cls.__name__, module=module, globs=vars(module) | {"np": np})
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("name", OTHERS)
def test_algorithms_that_are_not_private_say_so(name):
    assert sections(ALGORITHMS[name])["Guarantee"].startswith("None")
    assert "epsilon" not in inspect.signature(ALGORITHMS[name]).parameters


def test_the_section_reader_can_fail():
    class Undocumented(ALGORITHMS["adap-ucb"]):
        pass

    class Documented:
        """One line.

        Guarantee
        ---------
        None at all.

        Source: page 3.
        """

    assert sections(Undocumented) == {}
    assert own_examples(Undocumented) == 0
    assert sections(Documented) == {"": "One line.", "Guarantee": "None at all.", "Source": "page 3."}


# Mechanisms, environments and theorems


@pytest.mark.parametrize("name", list(MECHANISMS))
def test_every_mechanism_says_what_it_guarantees_and_where_it_is_from(name):
    cls = MECHANISMS[name]
    found = sections(cls)
    assert len(found["Guarantee"].split()) >= 10
    assert found["Source"]
    assert cls.__dict__["source"]
    assert own_examples(cls) >= 1


@pytest.mark.parametrize("name", list(ENVIRONMENTS))
def test_every_environment_has_a_summary(name):
    assert len(summary(ENVIRONMENTS[name]).split()) >= 3
    assert ENVIRONMENTS[name].__dict__["__doc__"]


@pytest.mark.parametrize("name", list(bounds.THEOREMS))
def test_every_theorem_has_a_source_a_provenance_and_a_statement(name):
    theorem = bounds.THEOREMS[name]
    assert theorem.id == name
    assert theorem.kind in ("lower", "upper")
    assert theorem.provenance in ("explicit", "derived", "second-hand", "unproven", "order-only")
    assert len(theorem.source.split()) >= 3
    assert len(theorem.statement.split()) >= 5
    assert theorem.quantity


def test_the_registries_are_not_empty():
    assert len(list(MECHANISMS)) >= 2
    assert len(list(ENVIRONMENTS)) >= 3
    assert len(bounds.THEOREMS) >= 5


def test_a_second_class_with_the_same_id_is_refused():
    registry: Registry[object] = Registry("thing", "privcheck.mechanisms")
    registry.register("one", int)
    registry.register("one", int)
    with pytest.raises(PrivcheckError, match="thing id: got 'one', expected an id that is not taken"):
        registry.register("one", float)
    assert registry["one"] is int
    assert list(registry) == ["one"]
    assert registry.summaries()[0]["id"] == "one"
    assert "two" not in registry
    with pytest.raises(PrivcheckError, match="did you mean 'one'"):
        registry["onee"]


# Files, documentation and examples


def lengths() -> dict[Path, int]:
    return {file: len(file.read_text(encoding="utf-8").splitlines()) for file in FILES}


def test_files_stay_small():
    assert not {str(file): lines for file, lines in lengths().items() if lines > 400}


SHARED_NAMES = {
    "init": "what makes a folder a package",
    "audit_witness": "the witness of an audit, on pages and in the terminal",
    "base": "the base class of the classes in its folder",
    "bernoulli": "a family of reward laws in bounds/families, and the environment with these laws",
    "bounded": "a family of reward laws in bounds/families, and the environment with these laws",
    "certificate_tables": "the tables of a certificate, on pages and in the terminal",
    "gaussian": "a family of reward laws in bounds/families, the environment with these laws, and the mechanism",
    "lower": "the lower bounds of one paper, in the paper's folder",
    "plan": "what is fixed beforehand: releases in accounting, runs in auditing",
    "player": "what plays a target: for audits in targets, and with recorded primitives",
    "rendered_parts": "the parts of a description, rendered on pages and in the terminal",
}
"""The names that several modules may have, with what all modules of that name do."""

NAMED_AFTER_OBJECTS = {"_kinds", "_descriptions", "_described"}
"""Folders with one file for each kind of object, which is named after it wherever the object itself is made."""


def names_of_several_modules(package: Path) -> set[str]:
    files = (file for file in package.rglob("*.py") if file.parent.name not in NAMED_AFTER_OBJECTS)
    counted = Counter(file.stem.strip("_") for file in files)
    return {name for name, count in counted.items() if count > 1}


def test_modules_that_share_a_name_do_the_same_thing():
    """Whoever looks for a file by its name finds one, or one for each family or paper."""
    assert names_of_several_modules(PACKAGE) == set(SHARED_NAMES)


def test_a_second_module_of_one_name_is_noticed(tmp_path):
    for folder, name in (("auditing", "choosing"), ("auditing/search", "pairs"), ("simulation", "engine")):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / f"{name}.py").touch()
    assert names_of_several_modules(tmp_path) == set()
    (tmp_path / "simulation" / "choosing.py").touch()
    (tmp_path / "_kinds").mkdir()
    (tmp_path / "_kinds" / "engine.py").touch()
    assert names_of_several_modules(tmp_path) == {"choosing"}


ARRAY_TYPES = ("NDArray", "ndarray")


def array_aliases(package: Path) -> set[str]:
    """Return the aliases of array types that modules other than arrays.py define, as `path: name`."""
    found = set()
    for file in sorted(package.rglob("*.py")):
        place = file.relative_to(package).as_posix()
        for line in ast.parse(file.read_text(encoding="utf-8")).body:
            if place == "arrays.py" or not isinstance(line, ast.Assign | ast.AnnAssign) or line.value is None:
                continue
            value = line.value.value if isinstance(line.value, ast.Subscript) else None
            if isinstance(value, ast.Name | ast.Attribute) and ast.unparse(value).rpartition(".")[2] in ARRAY_TYPES:
                target = line.targets[0] if isinstance(line, ast.Assign) else line.target
                found.add(f"{place}: {ast.unparse(target)}")
    return found


def test_array_types_are_named_once():
    assert array_aliases(PACKAGE) == set(), "import the alias from privcheck.arrays"


def test_a_second_name_of_an_array_type_is_noticed(tmp_path):
    (tmp_path / "targets").mkdir()
    (tmp_path / "arrays.py").write_text("Array = NDArray[np.float64]\n", encoding="utf-8")
    module = tmp_path / "targets" / "player.py"
    module.write_text("from privcheck.arrays import Table\nplays: dict[str, Table] = {}\n", encoding="utf-8")
    assert array_aliases(tmp_path) == set()
    for line in ("Table = npt.NDArray[np.float64]", "Table: TypeAlias = NDArray[Any]", "Table = np.ndarray[Any, Any]"):
        module.write_text(f"{line}\n", encoding="utf-8")
        assert array_aliases(tmp_path) == {"targets/player.py: Table"}


@pytest.mark.parametrize("package", [privcheck, bounds], ids=lambda package: package.__name__)
def test_everything_public_is_documented(package):
    assert len(package.__all__) == len(set(package.__all__))
    for name in package.__all__:
        value = getattr(package, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert value.__doc__, name
            assert value.__module__.startswith("privcheck")


def test_every_module_says_what_it_is():
    undocumented = [str(file) for file in FILES if not ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))]
    assert not undocumented


HEAVY = re.compile(r"^(?:import scipy|from scipy(?!\.special import | import special$))", re.MULTILINE)
"""Parts of scipy that take longer to import than numpy and numba together; `special` is small."""


def test_statistics_are_imported_where_they_are_called():
    """Every command and every worker would load them."""
    assert [str(file) for file in FILES if HEAVY.search(file.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("line", "heavy"),
    [
        ("from scipy import stats", True),
        ("from scipy import optimize, special", True),
        ("from scipy.stats import chi2", True),
        ("import scipy.signal", True),
        ("from scipy import special", False),
        ("from scipy.special import ndtr", False),
        ("def late():\n    from scipy import stats", False),
    ],
)
def test_the_walk_notices_an_import_of_weight(line, heavy):
    assert bool(HEAVY.search(f"import math\n{line}\n")) is heavy


def test_unknown_names_of_the_package_are_attribute_errors():
    with pytest.raises(AttributeError, match="No privcheck attribute adit"):
        _ = privcheck.adit
