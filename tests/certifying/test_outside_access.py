"""State outside of the process, which nobody puts back: no certificate rests on it unless it says so."""

import inspect
import re
import socket
from pathlib import Path

import pytest

import privcheck
from privcheck.certifying._outside.outside_access import watched
from privcheck.errors import PrivcheckError

FILE = Path(__file__).with_name("outside_state.py")
CONTEXTS = privcheck.Contexts(shape=(2, 2), norm=1.0)
JOINT = {"feedback": "contextual", "neighbours": "context-reward", "contexts": CONTEXTS}


def names(base: str) -> list[str]:
    """Return the classes of the file that derive from one of its classes."""
    found = re.findall(r"^class (\w+)\((\w+)\)", FILE.read_text(encoding="utf-8"), re.M)
    return [name for name, parent in found if parent == base]


BROKEN = [*names("Broken"), "EnvironmentAlone", "System"]
SLOW = ("Environment", "Program", "System")


def certified(name: str, **options: object) -> privcheck.Certificate:
    runs = 1 if name in SLOW else 3
    return privcheck.certify(f"{FILE}:{name}", epsilon=1.0, arms=2, horizon=8, runs=runs, **options)


def test_there_are_enough_of_each() -> None:
    assert len(BROKEN) >= 10
    assert len(names("Honest")) >= 4


@pytest.mark.parametrize("name", BROKEN)
def test_a_maximum_that_is_kept_outside_is_not_granted(name) -> None:
    """A file at a fixed place is seen by both sides of a replay, and by a fresh process."""
    found = certified(name)
    assert not found.granted
    assert found.upper is None
    assert re.search(r"(reads|writes to|runs|connects to) .*\(outside_state\.py:\d+\)", "\n".join(found.notes))
    assert "that is not put back" in str(found)


def test_a_note_names_the_file_and_the_line() -> None:
    found = certified("JsonFile")
    source = FILE.read_text(encoding="utf-8").splitlines()
    line = source.index('        with open(self.place, "w") as file:') + 1
    assert any(
        re.match(rf"store\(\) writes to .*top\.json \(outside_state\.py:{line}\): ", note) for note in found.notes
    )


def test_a_file_that_is_read_in_a_round_withholds_completeness_alone() -> None:
    found = certified("ReadsInUpdate")
    assert (found.granted, found.complete, found.coverage) == (False, False, "all-executions-under-guard")
    assert found.is_inconclusive
    assert "update() reads" in found.notes[0]
    assert "read constant files when the policy is built" in found.notes[0]


@pytest.mark.parametrize("name", names("Honest"))
def test_an_honest_program_stays_granted(name) -> None:
    found = certified(name)
    assert found.granted, str(found)
    table = str(FILE.with_name("outside_table.json"))
    assert found.provided == f"provided that {table} does not change"  # all of them read it when they are imported


def test_a_file_that_is_read_at_construction_is_named(tmp_path) -> None:
    """The class was imported before."""
    table = tmp_path / "table.txt"
    table.write_text("0.5", encoding="utf-8")

    class Constant:
        def __init__(self, rng, epsilon=1.0):
            self.arm = int(float(table.read_text(encoding="utf-8")) > 0.7)

        def select(self):
            return self.arm

        def update(self, action, reward):
            pass

    found = privcheck.certify(Constant, epsilon=1.0, arms=2, horizon=4, runs=2)
    assert found.granted
    assert found.provided == f"provided that {table} does not change"


def test_a_context_that_is_kept_in_a_file_is_not_granted() -> None:
    found = certified("FirstContext", **JOINT)
    assert found.upper is None
    assert any(note.startswith("recall() ") and "first.txt" in note for note in found.notes)
    assert certified("ReadsNothing", **JOINT).granted


def test_an_open_file_is_refused_where_it_could_keep_a_context() -> None:
    with pytest.raises(PrivcheckError, match="outside of the policy"):
        certified("OpenFile", **JOINT)


def test_only_own_code_in_the_block_and_in_its_thread_is_noted(tmp_path) -> None:
    place = tmp_path / "table.txt"
    place.write_text("1", encoding="utf-8")
    with watched() as found:
        line = inspect.currentframe().f_lineno + 1
        place.read_text(encoding="utf-8")
        inspect.getsource(Path)  # read by the standard library, for itself
    (access,) = found.found
    assert (access.what, access.name, access.line) == ("reads", str(place), line)
    place.read_text(encoding="utf-8")
    with watched() as other:
        import wave  # noqa: F401
    assert len(found.found) == 1
    assert not other.found


def test_what_is_read_and_what_is_written(tmp_path) -> None:
    place = tmp_path / "table.txt"
    for mode, what in {"w": "writes to", "r": "reads", "a": "writes to", "r+": "reads and writes to"}.items():
        with watched() as found, place.open(mode):
            pass
        assert [access.what for access in found.found] == [what]
    with watched() as found, socket.socket() as ours:
        ours.bind(("127.0.0.1", 0))
    assert [access.what for access in found.found] == ["connects to"]


def test_what_was_not_replayed_in_a_fresh_process_is_told(tmp_path, monkeypatch) -> None:
    """A constructor that reads a file of the working directory fails in the empty folder of a fresh process."""
    code = (
        "from pathlib import Path\n\n\nclass Reads:\n    def __init__(self, rng, arms=2, epsilon=1.0):\n"
        "        self.scale = float(SCALE)\n"
        "        self.rng, self.total = rng, 0.0\n\n    def select(self):\n        return int(self.total > 1.0)\n\n"
        "    def update(self, action, reward):\n"
        "        self.total += float(reward + self.rng.laplace(0.0, self.scale))\n"
    )
    monkeypatch.chdir(tmp_path)
    Path("scale.txt").write_text("1.0", encoding="utf-8")
    for name, scale, told in (("reads", 'Path("scale.txt").read_text()', 1), ("has", "1.0", 0)):
        Path(f"{name}.py").write_text(code.replace("SCALE", scale), encoding="utf-8")
        found = privcheck.certify(f"{name}.py:Reads", epsilon=1.0, arms=2, horizon=8, runs=2)
        assert found.granted, name
        assert sum("were not replayed in a fresh process" in note for note in found.notes) == told, found.notes


def test_what_privcheck_reads_of_itself_is_no_access_of_the_target() -> None:
    """An adapter is a target's own code, and its package reads a stub when it is imported."""
    stub = Path(privcheck.__file__).parent / "adapters" / "__init__.pyi"
    with watched() as seen:
        stub.read_text()
        FILE.read_text()
    assert seen.built == [str(FILE)]
