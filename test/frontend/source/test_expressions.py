"""What expressions of a program are called, by where they begin."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.frontend.source.expressions import access_at, expression_at, statement_at

PROGRAM = """\
def program(x, i):
    y = x[i] + 1
    for k in range(3):
        x[k] *= y[
            k]
    if x[0] < 0:
        raise ValueError(x)
    return np.sin(y)
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A file with the program."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return str(path)


@pytest.mark.parametrize(
    ("line", "column", "name", "access"),
    [
        (2, 9, "y", "x[i]"),
        (2, 16, "1", "1"),
        (3, 14, "for k in range(3)", "for k in range(3)"),
        (4, 17, "y[ k]", "y[ k]"),
        (6, 8, "if x[0] < 0", "x[0]"),
        (7, 9, "raise ValueError(x)", "raise ValueError(x)"),
        (8, 12, "np.sin(y)", "np.sin(y)"),
        (8, 1, "", ""),
    ],
)
def test_names_of_places(file: str, line: int, column: int, name: str, access: str) -> None:
    assert (expression_at(file, line, column), access_at(file, line, column)) == (name, access)


@pytest.mark.parametrize(
    ("line", "name"),
    [(1, ""), (2, "y"), (3, "for k in range(3)"), (4, "y[ k]"), (6, "if x[0] < 0"), (8, "np.sin(y)")],
)
def test_without_columns_the_statement_is_meant(file: str, line: int, name: str) -> None:
    assert expression_at(file, line, 0) == name


def test_statements_and_files_that_are_none(file: str) -> None:
    assert statement_at(file, 4, 17) == 4
    assert statement_at(file, 5, 3) == 5
    assert expression_at("", 1, 1) == expression_at("/nowhere.py", 1, 1) == ""
