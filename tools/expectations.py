"""`--verify-diagnostics`: comments that say which diagnostics are expected, as in mlir-opt.

`// expected-error @+1 {{text}}` expects an error on the next line whose message contains the text; likewise
expected-warning, expected-note and expected-remark, @-1, @above, @below, and no place for the same line.
`expected-error-re` takes a text with regular expressions in double braces. A line holds one such comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..dialect.records import dataclass
from .diagnostics import Diagnostic
from .inputs import Source

_COMMENT = re.compile(
    r"expected-(?P<severity>error|warning|note|remark)(?P<regex>-re)?"
    r"(?:\s*@(?P<place>[+-]\d+|above|below|unknown))?\s*\{\{(?P<text>.*)\}\}\s*$"
)
_EMBEDDED_REGEX = re.compile(r"\{\{(.*?)\}\}")


@dataclass(frozen=True)
class Expectation:
    """One comment: a severity, a line (0: no place) and a pattern that the message must contain."""

    severity: str
    line: int
    text: str
    pattern: re.Pattern[str]
    written_at: int
    column: int = 1

    def is_met_by(self, diagnostic: Diagnostic) -> bool:
        """Whether a diagnostic is what was expected."""
        same_place = diagnostic.line == self.line
        return (
            same_place
            and diagnostic.severity == self.severity
            and bool(self.pattern.search(diagnostic.message))
        )


def find_expectations(source: Source) -> Iterator[Expectation]:
    """The expectations in the comments of a text."""
    lines = source.text.splitlines()
    for number, line in enumerate(lines, start=1):
        for comment in _COMMENT.finditer(line):
            target = _line_of(comment["place"], number, lines)
            text = comment["text"]
            yield Expectation(
                comment["severity"],
                target,
                text,
                _pattern(text, bool(comment["regex"])),
                number,
                comment.start() + 1,
            )


def _line_of(place: str | None, number: int, lines: Sequence[str]) -> int:
    """The line that a place means; `above` and `below` skip lines that are expectations themselves."""
    if place is None:
        return number
    if place == "unknown":
        return 0
    if place not in ("above", "below"):
        return number + int(place)
    step = -1 if place == "above" else 1
    number += step
    while 0 < number <= len(lines) and _COMMENT.search(lines[number - 1]):
        number += step
    return number


def _pattern(text: str, with_regex: bool) -> re.Pattern[str]:
    if not with_regex:
        return re.compile(re.escape(text))
    parts = _EMBEDDED_REGEX.split(text)
    return re.compile("".join(part if index % 2 else re.escape(part) for index, part in enumerate(parts)))


def unmet(
    source: Source, diagnostics: Sequence[Diagnostic], *, only_expected: bool = False
) -> list[Diagnostic]:
    """What differs between the expectations in a text and the diagnostics that were made: empty when all is well.

    Every expectation stands for one diagnostic; notes need none, and nothing does where `only_expected` ones count.
    """
    expectations = list(find_expectations(source))
    made = [part for diagnostic in diagnostics for part in diagnostic.walk()]
    surprises: list[Diagnostic] = []
    for diagnostic in made:
        met = next((e for e in expectations if e.is_met_by(diagnostic)), None)
        if met is not None:
            expectations.remove(met)
        elif diagnostic.severity != "note" and not only_expected:
            surprises.append(_report(source, diagnostic.line, diagnostic.column, _unexpected(diagnostic)))
    missing = [
        _report(source, e.written_at, e.column, f'expected {e.severity} "{e.text}" was not produced')
        for e in expectations
    ]
    return surprises + missing


def _unexpected(diagnostic: Diagnostic) -> str:
    return f"unexpected {diagnostic.severity}: {diagnostic.message}"


def _report(source: Source, line: int, column: int, message: str) -> Diagnostic:
    return Diagnostic("error", source.name, line, column, message)
