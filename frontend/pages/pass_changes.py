"""What each pass of a compilation changed, as differences of text, function by function."""

from __future__ import annotations

import difflib
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from ...dialect.mlir import Module, ir
from ...dialect.records import NamedTuple
from ...passes.base import Counting, Statistics
from ...passes.managers import run_passes
from ...passes.pipeline import Code, Observer, Step
from .linked_text import (
    Line,
    Place,
    linked,
    linked_assembly,
    linked_machine_code,
    linked_part,
    plain_text,
    without_values,
)

CONTEXT = 2
"""How many lines around a change are shown."""

WATCHED = 20_000
"""How many lines of modules are looked at to tell rewrites of passes apart; those behind are told of as a whole."""

LONGEST = 3_000
"""How many lines of a pass's changes are kept: what is longer has become another text, which its stage shows."""


class Hunk(NamedTuple):
    """Lines that belong together, in one function."""

    function: str
    kinds: str
    """For each line: `+` is new, `-` is gone, a space is around."""
    lines: tuple[Line, ...]


class Rewrite(NamedTuple):
    """One of the things that a pass did."""

    name: str
    """The pattern that did it, or what the pass counts."""
    hunks: tuple[Hunk, ...]


class Change(NamedTuple):
    """What a pass did."""

    stage: str
    """The stage that it is on the way to."""
    name: str
    options: str
    seconds: float
    """0 where that is not known."""
    statistics: tuple[tuple[str, int], ...]
    """What the pass itself counts."""
    hunks: tuple[Hunk, ...]
    left_out: int
    """How many further lines changed."""
    rewrites: tuple[Rewrite, ...] = ()
    """What it did one after the other, where it did several things and they could be told apart."""

    def rules(self, hunk: Hunk) -> list[int]:
        """For each line of a hunk the number of the rewrite that made it, or took it away; -1 where none is known."""
        made = {
            (one.function, kind, _without_numbers(line.text)): number
            for number, rewrite in enumerate(self.rewrites)
            for one in rewrite.hunks
            for kind, line in zip(one.kinds, one.lines, strict=True)
            if kind != " "
        }
        return [
            made.get((hunk.function, kind, _without_numbers(line.text)), -1)
            for kind, line in zip(hunk.kinds, hunk.lines, strict=True)
        ]

    @property
    def added(self) -> int:
        """Lines that are new."""
        return sum(hunk.kinds.count("+") for hunk in self.hunks)

    @property
    def removed(self) -> int:
        """Lines that are gone."""
        return sum(hunk.kinds.count("-") for hunk in self.hunks)


class _Rewrites(Counting):
    """Statistics of a pass that note what became of the module each time that a change is counted."""

    def __init__(self, module: Module, budget: int) -> None:
        super().__init__()
        self._module = module
        self._before = _tidy(module)
        self._text = ""
        self._lines: list[Line] = []
        self.budget = budget
        """How many lines of modules may be looked at yet."""
        self.found: list[Rewrite] = []
        self.seconds = 0.0
        """What looking took, which is no time of the pass."""

    def counted(self, what: str, more: int) -> None:
        if more > 0:
            self.passed(what)

    def passed(self, name: str) -> None:
        if self._before is None or self.budget <= 0:
            return
        start = time.perf_counter()
        copy = _tidy(self._module)
        if copy is not None and (text := plain_text(copy)) != self._text:
            self._text = text
            self._note(name, linked(copy))
        self.seconds += time.perf_counter() - start

    def _note(self, what: str, lines: list[Line]) -> None:
        """What is different now was done by something."""
        assert self._before is not None
        self.budget -= len(lines)
        hunks = tuple(differences(self._lines or linked(self._before), lines))
        self._lines = lines
        if hunks:
            self.found.append(Rewrite(what, hunks))

    def all(self) -> tuple[Rewrite, ...]:
        """All of them, behind the pass, where they are several and none is left out."""
        if self.found and self.budget > 0 and (copy := _tidy(self._module)) is not None:
            self._note("at its end", linked(copy))
        return tuple(self.found) if self.budget > 0 and len(self.found) > 1 else ()


def _tidy(module: Module) -> Module | None:
    """A copy of a module without what nothing uses any more; None in the middle of a change."""
    copy: Module = module.operation.clone(ip=False)
    try:
        copy.operation.verify()
    except ir.MLIRError:
        return None
    run_passes(copy, "builtin.module(trivial-dce)")
    return copy


class Watch(Observer):
    """Notes what passes change, of those that change something."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self.waiting: list[Change] = []
        """Those since the last stage."""
        self.told: list[str] = []
        """What is not among them, and why."""
        self.llvm_seconds: dict[str, float] = {}
        """What LLVM's passes took, by their names."""
        self._text = ""
        self._lines: list[Line] | None = None
        self._rewrites: _Rewrites | None = None
        self._budget = WATCHED
        self._llvm: dict[tuple[str, str], list[Line]] = {}
        """What LLVM's passes have made of functions, as IR and as instructions of the machine."""
        self._places: dict[str, tuple[Place, ...]] = {}
        """Where instructions come from, as far as whole modules told."""
        self._files: dict[str, str] = {}
        """The files of the program by their names alone, which are what instructions of the machine tell."""

    def before(self, step: Step, code: Code) -> None:
        """Know the text before the first pass."""
        if self._lines is None or isinstance(code, str):
            self._text, self._lines = _text_of(code), _lines_of(code)

    def counting(self, step: Step, module: Module) -> _Rewrites:
        """What notes the rewrites of a pass."""
        self._rewrites = _Rewrites(module, self._budget)
        return self._rewrites

    def after(self, step: Step, code: Code, seconds: float, statistics: Statistics) -> None:
        """Note what is different now."""
        rewrites, self._rewrites = self._rewrites, None
        text = _text_of(code)
        if text == self._text:
            return
        lines, before = _lines_of(code), self._lines or []
        self._text, self._lines = text, lines
        hunks, left_out = _bounded(list(differences(before, lines)))
        found: tuple[Rewrite, ...] = ()
        if rewrites is not None:
            if rewrites.budget <= 0 < self._budget:
                self.unwatched(
                    f"the rewrites of {step.name} and of passes behind it are not told apart: there are too many"
                )
            self._budget, seconds = rewrites.budget, seconds - rewrites.seconds
            found = rewrites.all()
        if hunks:
            counts = tuple(sorted(statistics.items()))
            self.waiting.append(Change("", step.name, step.options, seconds, counts, hunks, left_out, found))

    def after_llvm(self, stage: str, name: str, function: str, text: str) -> None:
        """Note what a pass of LLVM did."""
        if stage in ("asm", "ptx"):
            new = {function: linked_machine_code(text, self._files)}
        elif function:
            new = _by_function(linked_part(text, self._places))
        else:
            new = _by_function(linked_assembly(text))
            lines = (line for one in new.values() for line in one if line.places)
            for line in lines:
                self._places[without_values(line.text)] = line.places
                self._files |= {os.path.basename(file): file for file, _ in line.places}
        hunks: list[Hunk] = []
        for one in [function] if function else [*new]:
            before, after = self._llvm.get((stage, one), []), new.get(one, [])
            self._llvm[stage, one] = after
            if name and before != after:
                hunks += _differences(one, before, after)
        if hunks:
            self._add_llvm(stage, name, hunks)

    def timed_llvm(self, seconds: Mapping[str, float]) -> None:
        """Add up what passes took of all that is compiled."""
        for name, more in seconds.items():
            self.llvm_seconds[name] = self.llvm_seconds.get(name, 0.0) + more

    def unwatched(self, told: str) -> None:
        """Note what is missing."""
        self.told.append(told)

    def _add_llvm(self, stage: str, name: str, hunks: Sequence[Hunk]) -> None:
        """LLVM runs a pass on one function after the other: they are told of together."""
        last = self.changes[-1] if self.changes else None
        if last is not None and (last.stage, last.name) == (stage, name):
            self.changes.pop()
            hunks = [*last.hunks, *hunks]
        kept, left_out = _bounded(hunks)
        self.changes.append(Change(stage, name, "", 0.0, (), kept, left_out))

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
    old, new = _by_function(before), _by_function(after)
    for key in (_without_numbers, str):
        found = [
            hunk
            for name in dict.fromkeys([*new, *old])
            for hunk in _hunks(name, old.get(name, []), new.get(name, []), key)
        ]
        if found:
            break
    yield from found


def _differences(name: str, before: Sequence[Line], after: Sequence[Line]) -> list[Hunk]:
    """The same of one function."""
    return [*_hunks(name, before, after, _without_numbers)] or [*_hunks(name, before, after, str)]


def _without_numbers(text: str) -> str:
    return _NUMBERED.sub("%", text)


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


def _hunks(name: str, old: Sequence[Line], new: Sequence[Line], key: Callable[[str], str]) -> Iterator[Hunk]:
    if not old or not new:
        kind = "+" if new else "-"
        yield Hunk(name, kind * len(old or new), tuple(old or new))
        return
    before, after = [key(x.text) for x in old], [key(x.text) for x in new]
    if before == after:
        return
    matcher = difflib.SequenceMatcher(None, before, after)
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
