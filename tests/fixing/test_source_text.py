"""Files are read and written as they are: newlines, byte order marks, encodings."""

from __future__ import annotations

import hashlib

import pytest

from privcheck.errors import PrivcheckError
from privcheck.fixing._program import NotEditableError, Program
from privcheck.fixing._source_text import SourceText, line_starts

AWKWARD = {
    "lf": b"a = 1\nb = 2\n",
    "crlf": "a = 1\r\nb = 'é'\r\n".encode(),
    "mixed": b"a = 1\r\nb = 2\nc = 3\r\n",
    "cr": b"a = 1\rb = 2\r",
    "bom": b"\xef\xbb\xbfa = 1\r\n",
    "latin-1": "# -*- coding: latin-1 -*-\nname = 'é'\n".encode("latin-1"),
    "no newline at the end": b"a = 1",
    "empty": b"",
    "form feed": b"a = 1\n\x0cb = 2\n",
    "separators": "a = '\u2028\x85'\nb = 2\n".encode(),
}


@pytest.mark.parametrize("name", AWKWARD)
def test_what_is_read_is_written_again_byte_for_byte(name, tmp_path):
    (tmp_path / "bandit.py").write_bytes(AWKWARD[name])
    source = SourceText.read(tmp_path / "bandit.py")
    assert source.encoded(source.text) == source.bytes_read == AWKWARD[name]
    assert source.sha256 == hashlib.sha256(AWKWARD[name]).hexdigest()
    assert source.encoded(source.replaced([])) == AWKWARD[name]


def test_what_is_put_in_has_the_newlines_of_the_file(tmp_path):
    (tmp_path / "bandit.py").write_bytes(AWKWARD["crlf"])
    source = SourceText.read(tmp_path / "bandit.py")
    assert source.newline == "\r\n"
    assert source.encoded(source.replaced([(5, 5, "\nc = 3")])) == "a = 1\r\nc = 3\r\nb = 'é'\r\n".encode()


def test_pieces_that_overlap_are_refused():
    source = SourceText.of_bytes("bandit.py", b"abcdef")
    with pytest.raises(ValueError, match="overlap"):
        source.replaced([(0, 3, "x"), (2, 4, "y")])


@pytest.mark.parametrize("found", [b"# -*- coding: nonsense -*-\n", b"a = '\xff'\n"])
def test_a_file_that_python_cannot_decode_is_refused_in_words(found, tmp_path):
    (tmp_path / "bandit.py").write_bytes(found)
    with pytest.raises(PrivcheckError, match="cannot be decoded"):
        SourceText.read(tmp_path / "bandit.py")
    with pytest.raises(PrivcheckError, match="cannot be read"):
        SourceText.read(tmp_path / "nowhere.py")


def test_a_character_that_the_encoding_lacks_is_refused():
    source = SourceText.of_bytes("bandit.py", AWKWARD["latin-1"])
    with pytest.raises(PrivcheckError, match="characters of iso-8859-1"):
        source.encoded("ε = 1\n")


def test_lines_end_where_python_ends_them():
    assert line_starts("a\x0c\r\nb\u2028\x85\nc\r") == [0, 4, 8, 10]


CLASS = """\
x = "é"  # é


class Bandit:
\tdef __init__(self, rng, arms=2):
\t\tself.é, self.sums = "ü", [0.0] * arms

\tdef update(self, action, reward): self.n = "ä"; self.sums[action] += reward  # ö
"""


def test_columns_in_bytes_are_found_among_characters_of_several_bytes():
    """The broken twin took byte offsets for characters."""
    program = Program(CLASS, "Bandit")
    codes = [program.code(node) for _, node in program.statements()]
    assert 'self.é, self.sums = "ü", [0.0] * arms' in codes
    assert "self.sums[action] += reward" in codes
    assert program.unit == "\t"


def test_a_statement_in_a_line_of_several_gets_neighbours_in_that_line():
    program = Program(CLASS, "Bandit")
    adds = next(node for _, node in program.statements() if program.code(node).startswith("self.sums[action]"))
    assert not program.stands_alone(adds)
    text = program.applied([program.after(adds, "self.t = 0")])
    assert '"ä"; self.sums[action] += reward; self.t = 0  # ö\n' in text
    text = program.applied([program.at_head(program.methods["update"], "reward = 1")])
    assert "def update(self, action, reward): reward = 1; self.n" in text
    with pytest.raises(NotEditableError):
        program.after(adds, "if a:\n    b = 1")


def test_a_method_that_is_added_is_indented_like_the_others():
    text = Program(CLASS, "Bandit").applied([Program(CLASS, "Bandit").new_method("def f(self):\n    return 1")])
    assert text.endswith("  # ö\n\n\tdef f(self):\n\t\treturn 1\n")


def test_names_that_are_taken_are_left_alone():
    program = Program("class B:\n    def _learn(self): self._learn_2 = 1\n", "B")
    assert program.free("_learn") == "_learn_3"
    assert program.free("_blocks") == "_blocks"


def test_an_edit_that_is_no_python_is_none():
    program = Program(CLASS, "Bandit")
    with pytest.raises(NotEditableError):
        program.applied([(0, 1, "(")])
    with pytest.raises(NotEditableError):
        Program(CLASS, "Other")


IMPORTS = {
    "import numpy as np\nX = 1\n": "import numpy as np\nimport privcheck\nX = 1\n",
    '"""Docstring."""\nX = 1\n': '"""Docstring."""\n\nimport privcheck\nX = 1\n',
    "X = 1\n": "import privcheck\n\nX = 1\n",
    "import privcheck\nX = 1\n": "import privcheck\nX = 1\n",
}


@pytest.mark.parametrize("before", IMPORTS)
def test_a_module_is_imported_once_and_among_the_imports(before):
    text = f"{before}class B:\n    pass\n"
    program = Program(text, "B")
    assert program.applied(program.imported("privcheck")) == f"{IMPORTS[before]}class B:\n    pass\n"
