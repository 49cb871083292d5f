"""What was decided about a program, in sentences with its lines: `function.explain()`, `concrete.explain()`."""

from __future__ import annotations

import html
import linecache
import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...dialect.records import NamedTuple
from ...passes.notes import KINDS, NOWHERE, Note, Place
from ..source.expressions import access_at, expression_at, statement_at
from ..source.locations import cell_of


class Decision(NamedTuple):
    """One sentence about a line of the program."""

    kind: str
    """One of `weft.passes.notes.KINDS`: "fused", "scalar", "threads"."""
    file: str
    """Empty where it is about no line."""
    line: int
    """The first line; 0 where it is about none."""
    sentence: str
    lines: tuple[int, ...] = ()
    """All lines of which this is true."""


class Explanation:
    """What became of a function: prints as text, shows as HTML in notebooks, and is a list of decisions.

    >>> import weft
    >>> shifted = weft.function(lambda x: x + 1, name="shifted", target="x86-64-v3")
    >>> explanation = shifted.get_concrete_function(weft.TensorSpec((64,), "float32")).explain()
    >>> [decision.sentence for decision in explanation.decisions if decision.kind == "vector"]
    ['this runs in vectors of 8']
    """

    def __init__(
        self, title: str, decisions: Sequence[Decision], parts: Sequence[Explanation] = (), file: str = ""
    ) -> None:
        self.title = title
        """What it is about: the signature."""
        self.own = tuple(decisions)
        self.parts = tuple(parts)
        """The explanations of what was compiled, of a function."""
        files = {decision.file for decision in decisions if decision.line}
        self.file = file if file in files or len(files) != 1 else files.pop()
        """The file of the function, or of all that is told: lines of others are told with their files."""

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """All decisions, those of parts behind the own ones."""
        return (*self.own, *(decision for part in self.parts for decision in part.decisions))

    def about(self, line: int) -> Explanation:
        """What is told of one line of the program, of any file."""
        own = [decision for decision in self.own if line in (decision.lines or (decision.line,))]
        return Explanation(self.title, own, [part.about(line) for part in self.parts], self.file)

    def __str__(self) -> str:
        return "\n\n".join([self._text(), *map(str, self.parts)])

    def __repr__(self) -> str:
        return str(self)

    def html(self) -> str:
        """A page of its own: the sentences, and the lines that they are about."""
        return _PAGE.format(title=html.escape(self.title.partition("\n")[0]), body=self._body())

    def _repr_html_(self) -> str:
        return f"<style>{_STYLE}</style><div class='weft-explain'>{self._body()}</div>"

    def _text(self) -> str:
        paragraphs = [self.title]
        for title, decisions in self._sections():
            lines = [f"  {self.where(decision)}{decision.sentence}" for decision in decisions]
            paragraphs.append("\n".join([title, *lines]))
        return "\n\n".join(paragraphs)

    def _sections(self) -> Iterator[tuple[str, list[Decision]]]:
        """The decisions by their kinds, in the order of the program."""
        for name, kind in KINDS.items():
            found = [decision for decision in self.own if decision.kind == name]
            if found:
                yield kind.title, found

    def where(self, decision: Decision) -> str:
        """The lines of a decision as the beginning of a sentence: "line 4: "; empty if it is about none."""
        if not decision.line:
            return ""
        lines = _ranges(decision.lines or (decision.line,))
        word = "line" if lines.isdecimal() else "lines"
        if decision.file == self.file:
            return f"{word} {lines}: "
        return f"{_file_name(decision.file)}, {word} {lines}: "

    def _body(self) -> str:
        parts = [f"<h3>{html.escape(self.title)}</h3>"]
        for title, decisions in self._sections():
            items = "".join(self._item(decision) for decision in decisions)
            parts.append(f"<h4>{html.escape(title)}</h4><ul>{items}</ul>")
        parts += [part._body() for part in self.parts]
        return "".join(parts)

    def _item(self, decision: Decision) -> str:
        text = marked_up(f"{self.where(decision)}{decision.sentence}")
        source = linecache.getline(decision.file, decision.line).strip() if decision.line else ""
        shown = f"<pre>{html.escape(source)}</pre>" if source else ""
        return f"<li class='{decision.kind}'>{text}{shown}</li>"


def marked_up(sentence: str) -> str:
    """A sentence as HTML.

    >>> marked_up("`x < y` runs in vectors of 8")
    '<code>x &lt; y</code> runs in vectors of 8'
    """
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(sentence))


def decisions_of(notes: Iterable[Note], file: str) -> list[Decision]:
    """Notes as sentences, in the order of the lines.

    Of one expression, those that differ in a text are one ("in vectors of 4 and 8"); and of several lines, those that
    say the same.
    """
    alike: dict[tuple[Any, ...], list[Note]] = {}
    for note in dict.fromkeys(notes):
        is_whole = note.place == NOWHERE
        fixed = tuple(other for other in note.about if is_whole or isinstance(other, Place))
        alike.setdefault((note.kind, note.place, note.reason, fixed), []).append(note)
    found: dict[tuple[str, str, str], set[int]] = {}
    for same in alike.values():
        place = same[0].place
        found.setdefault((same[0].kind, place.file, _sentence(same, file)), set()).add(place.line)
    decisions = [
        Decision(kind, where, min(lines), sentence, tuple(sorted(lines)))
        for (kind, where, sentence), lines in found.items()
    ]
    return sorted(decisions, key=lambda decision: (decision.file != file, decision.file, decision.line))


def _sentence(notes: Sequence[Note], file: str) -> str:
    """Notes that differ in texts alone in words: what they are about, and what became of that."""
    first = notes[0]
    if first.kind == "fused":
        return _fused(first, file)
    about = [
        _listed(
            sorted({str(note.about[number]) for note in notes}, key=_by_number),
            "or" if first.kind == "threads" else "and",
        )
        if isinstance(other, str)
        else _named(other, first.place, file)
        for number, other in enumerate(first.about)
    ]
    reason = first.reason.format(*about)
    return f"{_subject(first)} {reason}".lstrip()


def _subject(note: Note) -> str:
    """What a sentence is about: the expression, or an array that a loop or branch carries."""
    if note.reason.startswith("these "):
        return ""
    is_access = note.kind == "strided" or note.reason.startswith("is copied in vectors")
    name = note.place.name or (access_at if is_access else expression_at)(*note.place[:3])
    is_carried = note.kind in ("copy", "memory", "threads") or note.reason.startswith(_OF_ARRAYS)
    if not name:
        return "an array" if note.reason.startswith(_OF_ARRAYS) else KINDS[note.kind].subject
    if name.startswith(("for ", "while ", "if ")) and is_carried:
        return f"{'work on ' * (note.kind == 'threads')}an array of `{name}`"
    return f"`{name}`"


_OF_ARRAYS = ("is copied", "is filled")
"""How reasons begin that are about what an expression gives."""


def _fused(note: Note, file: str) -> str:
    """What is computed in one loop with an expression: its own parts are not named."""
    own = statement_at(*note.place[:3])
    statements: dict[tuple[str, int], Place] = {}
    for other in sorted(other for other in note.about if isinstance(other, Place)):
        statement = other.file, statement_at(*other[:3])
        if statement != (note.place.file, own):
            statements.setdefault(statement, other)
    others = [_named(other, note.place, file) for other in statements.values()]
    subject = expression_at(*note.place[:3])
    others = [name for name in dict.fromkeys(others) if name != f"`{subject}`"]
    told = f"with {_listed(others)}" if others else "with all its parts"
    return (
        f"`{subject}` is computed in one loop {told}" if subject else f"this is computed in one loop {told}"
    )


def _named(place: Place, beside: Place, file: str) -> str:
    """What the expression at a place is called in a sentence about another."""
    name = place.name or expression_at(*place[:3])
    if not name:
        return f"line {place.line}" if place.line else "something else"
    if place == beside:
        return "it"
    if place[:2] == beside[:2] or not place.line:
        return f"`{name}`"
    where = f"line {place.line}" if place.file in (beside.file, file) else _file_name(place.file)
    return f"`{name}` ({where})"


def _file_name(file: str) -> str:
    """What a file, or a cell of a notebook, is called in a sentence."""
    return cell_of(file) or os.path.basename(file)


def _listed(texts: Sequence[str], joined: str = "and") -> str:
    """Texts with "and" before the last one."""
    *others, last = texts
    return f"{', '.join(others)} {joined} {last}" if others else last


def _by_number(text: str) -> tuple[float, str]:
    """Numbers in their order, before other texts."""
    digits = text.replace(",", "")
    return (float(digits) if digits.isdecimal() else math.inf, text)


def _ranges(lines: Sequence[int]) -> str:
    """Lines as ranges.

    >>> _ranges([4, 5, 6, 9])
    '4-6, 9'
    """
    parts: list[list[int]] = []
    for line in lines:
        if parts and line == parts[-1][-1] + 1:
            parts[-1].append(line)
        else:
            parts.append([line])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


_STYLE = """
.weft-explain{font:14px/1.5 system-ui,sans-serif}.weft-explain h3{white-space:pre-wrap}
.weft-explain h4{margin:.8em 0 .2em}.weft-explain ul{margin:0}.weft-explain pre{margin:.1em 0 .4em;opacity:.7}
"""

_PAGE = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>weft: {{title}}</title>
<style>:root{{{{color-scheme:light dark}}}}{_STYLE.replace("{", "{{").replace("}", "}}")}</style>
<body><div class="weft-explain">{{body}}</div></body></html>
"""
