"""The comments of --verify-diagnostics, and what is said when they do not fit."""

from __future__ import annotations

import pytest

from weft.tools.diagnostics import Collector, Diagnostic, Renderer
from weft.tools.expectations import find_expectations, unmet
from weft.tools.inputs import Source


def source(*lines: str) -> Source:
    return Source("a.mlir", "\n".join(lines) + "\n")


def error(line: int, message: str, severity: str = "error") -> Diagnostic:
    return Diagnostic(severity, "a.mlir", line, 1, message)


PLACES = {
    "expected-error {{x}}": 2,
    "expected-error @+1 {{x}}": 3,
    "expected-error @-1 {{x}}": 1,
    "expected-error@below {{x}}": 3,
    "expected-error @above {{x}}": 1,
    "expected-error @unknown {{x}}": 0,
}


@pytest.mark.parametrize("comment", PLACES)
def test_places(comment: str) -> None:
    given = source("first", f"second // {comment}", "third")
    assert [e.line for e in find_expectations(given)] == [PLACES[comment]]
    assert unmet(given, [error(PLACES[comment], "an x there")]) == []
    assert unmet(given, [error(9, "an x there")]) != []


def test_below_and_above_skip_other_expectations() -> None:
    given = source(
        "op",
        "// expected-error @above {{a}}",
        "// expected-note @below {{b}}",
        "// expected-error @below {{c}}",
        "op",
    )
    assert [e.line for e in find_expectations(given)] == [1, 5, 5]


@pytest.mark.parametrize("severity", ["error", "warning", "note", "remark"])
def test_severities(severity: str) -> None:
    given = source(f"op // expected-{severity} {{{{x}}}}")
    assert unmet(given, [error(1, "x", severity)]) == []


def test_regular_expressions_stand_in_braces() -> None:
    given = source("op // expected-error-re {{a.b {{[0-9]+}} c}}")
    assert unmet(given, [error(1, "a.b 42 c")]) == []
    assert unmet(given, [error(1, "axb 42 c")]) != []


def test_reports() -> None:
    given = source("op // expected-error {{x}}")
    reports = unmet(given, [error(1, "y")])
    assert [(r.line, r.message) for r in reports] == [
        (1, "unexpected error: y"),
        (1, 'expected error "x" was not produced'),
    ]


def test_one_expectation_stands_for_one_diagnostic() -> None:
    given = source("op // expected-error {{x}}")
    assert len(unmet(given, [error(1, "x"), error(1, "x")])) == 1


def test_notes_need_no_expectation() -> None:
    noted = Diagnostic("error", "a.mlir", 1, 1, "x", (error(7, "see here", "note"),))
    assert unmet(source("op // expected-error {{x}}"), [noted]) == []


def test_rendering_of_notes_and_unknown_places() -> None:
    renderer = Renderer({"a.mlir": "one\ntwo\n"})
    noted = Diagnostic(
        "error", "a.mlir", 2, 2, "x", (Diagnostic("note", "gone.py", 3, 1, "y"), error(0, "z", "note"))
    )
    assert renderer.render(noted) == "a.mlir:2:2: error: x\ntwo\n ^\ngone.py:3:1: note: y\na.mlir: note: z\n"


def test_collector_reports_its_own_errors() -> None:
    collector = Collector("a.mlir")
    assert not collector.has_errors
    collector.error("no", 3, 4)
    assert collector.has_errors
    assert collector.diagnostics == [Diagnostic("error", "a.mlir", 3, 4, "no")]
