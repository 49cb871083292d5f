"""What each pass of a compilation changed, as differences of text, function by function."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from ...dialect.records import NamedTuple
from ...passes.base import Statistics
from ...passes.pipeline import Code, Observer, Step
from .linked_text import Line, linked, linked_assembly, plain_text

CONTEXT = 2
"""How many lines around a change are shown."""

LONGEST = 3_000
"""How many lines of a pass's changes are kept: what is longer has become another text, which its stage shows."""


class Hunk(NamedTuple):
    """Lines that belong together, in one function."""

    function: str
    kinds: str
    """For each line: `+` is new, `-` is gone, a space is around."""
    lines: tuple[Line, ...]


class Change(NamedTuple):
    """What a pass did."""

    stage: str
    """The stage that it is on the way to."""
    name: str
    options: str
    seconds: float
    statistics: tuple[tuple[str, int], ...]
    """What the pass itself counts."""
    hunks: tuple[Hunk, ...]
    left_out: int
    """How many further lines changed."""

    @property
    def added(self) -> int:
        """Lines that are new."""
        return sum(hunk.kinds.count("+") for hunk in self.hunks)

    @property
    def removed(self) -> int:
        """Lines that are gone."""
        return sum(hunk.kinds.count("-") for hunk in self.hunks)


class Watch(Observer):
    """Notes what passes change, of those that change something."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self.ran = 0
        """How many passes ran."""
        self.waiting: list[Change] = []
        """Those since the last stage."""
        self._text = ""
        self._lines: list[Line] | None = None

    def before(self, step: Step, code: Code) -> None:
        """Know the text before the first pass."""
        if self._lines is None or isinstance(code, str):
            self._text, self._lines = _text_of(code), _lines_of(code)

    def after(self, step: Step, code: Code, seconds: float, statistics: Statistics) -> None:
        """Note what is different now."""
        self.ran += 1
        text = _text_of(code)
        if text == self._text:
            return
        lines, before = _lines_of(code), self._lines or []
        self._text, self._lines = text, lines
        hunks, left_out = _bounded(list(differences(before, lines)))
        if hunks:
            counts = tuple(sorted(statistics.items()))
            self.waiting.append(Change("", step.name, step.options, seconds, counts, hunks, left_out))

    def reached(self, stage: str) -> None:
        """The passes that ran since the last stage led to this one."""
        self.changes += [change._replace(stage=stage) for change in self.waiting]
        self.waiting.clear()


def _text_of(code: Code) -> str:
    return code if isinstance(code, str) else plain_text(code)


def _lines_of(code: Code) -> list[Line]:
    return linked_assembly(code) if isinstance(code, str) else linked(code)


def _bounded(hunks: Sequence[Hunk]) -> tuple[tuple[Hunk, ...], int]:
    """The hunks up to so many lines, and how many lines are in the others."""
    kept: list[Hunk] = []
    room = LONGEST
    for hunk in hunks:
        if room > 0:
            kept.append(Hunk(hunk.function, hunk.kinds[:room], hunk.lines[:room]))
        room -= len(hunk.lines)
    return tuple(kept), max(-room, 0)


_FUNCTION = re.compile(r"^ {0,2}(?:[\w.]*func(?:\.func)?|define)\b[^@\n]*@(\"[^\"]*\"|[\w.$-]+)")
_NUMBERED = re.compile(r"%(?:\w*_)?\d+\b|\^bb\d+|#\w+?\d+\b|!\d+")


def differences(before: Sequence[Line], after: Sequence[Line]) -> Iterator[Hunk]:
    """What changed between two texts, where numbers of values do not count, unless nothing else changed."""
    found = list(_differences(before, after, lambda text: _NUMBERED.sub("%", text)))
    yield from found or _differences(before, after, str)


def _differences(before: Sequence[Line], after: Sequence[Line], key: object) -> Iterator[Hunk]:
    old, new = _by_function(before), _by_function(after)
    for name in dict.fromkeys([*new, *old]):
        yield from _hunks(name, old.get(name, []), new.get(name, []), key)


def _by_function(lines: Sequence[Line]) -> dict[str, list[Line]]:
    """The lines of each function; what is outside of functions has no name."""
    found: dict[str, list[Line]] = {}
    name = ""
    for line in lines:
        match = _FUNCTION.match(line.text)
        if match:
            name = match[1]
        found.setdefault(name, []).append(line)
        if line.text in ("  }", "}"):
            name = ""
    return found


def _hunks(name: str, old: Sequence[Line], new: Sequence[Line], key: object) -> Iterator[Hunk]:
    assert callable(key)
    if not old or not new:
        kind = "+" if new else "-"
        yield Hunk(name, kind * len(old or new), tuple(old or new))
        return
    matcher = difflib.SequenceMatcher(None, [key(x.text) for x in old], [key(x.text) for x in new])
    for group in matcher.get_grouped_opcodes(CONTEXT):
        kinds, lines = "", list[Line]()
        for tag, old_first, old_end, new_first, new_end in group:
            if tag == "equal":
                kinds += " " * (new_end - new_first)
                lines += new[new_first:new_end]
            else:
                kinds += "-" * (old_end - old_first) + "+" * (new_end - new_first)
                lines += [*old[old_first:old_end], *new[new_first:new_end]]
        yield Hunk(name, kinds, tuple(lines))


__all__ = ["Change", "Hunk", "Watch", "differences"]
