"""What each pass changed as text, with the rewrites that did it: for a terminal, as the page has it for a browser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .pass_changes import Change, Hunk
from .stages import stages_of

if TYPE_CHECKING:
    from ..calls.concrete import ConcreteFunction


def passes_text(concrete: ConcreteFunction, line: int | None = None) -> str:
    """What the passes that changed something did, weft's, MLIR's and LLVM's, in the order in which they ran.

    Behind them is how long LLVM's took; the others tell it themselves. With a line of the program, of any file, only
    those that changed what became of it, and where.
    """
    found = stages_of(concrete._recording(), ())
    kept = [text for change in found.changes if (text := "\n".join(_told(change, line)))]
    about = "something" if line is None else f"what line {line} became"
    timed = [f"{1e3 * seconds:8.2f} ms  {name}" for name, seconds in found.llvm_seconds if seconds]
    times = ["\n".join(["LLVM's passes, all their runs:", *timed])] if line is None and timed else []
    return "\n\n".join([f"{len(kept)} passes changed {about}.", *found.unwatched, *kept, *times])


def _told(change: Change, line: int | None) -> Iterator[str]:
    hunks = [hunk for hunk in change.hunks if line is None or _is_about(hunk, line)]
    if not hunks:
        return
    options = f"{{{change.options}}}" if change.options else ""
    facts = [f"{1e3 * change.seconds:.2f} ms"] if change.seconds else []
    facts += [f"{count:,} {what}" for what, count in change.statistics if count]
    yield f"{change.name}{options}, to {change.stage}{': ' if facts else ''}{', '.join(facts)}"
    for hunk in hunks:
        yield f"  in @{hunk.function}" if hunk.function else "  outside of functions"
        yield from _lines_of(change, hunk)
    if change.left_out:
        yield f"  and {change.left_out:,} further lines"


def _is_about(hunk: Hunk, line: int) -> bool:
    """Whether something that changed is for a line."""
    changed = [one for kind, one in zip(hunk.kinds, hunk.lines, strict=True) if kind != " "]
    return any(number == line for one in changed for _, number in one.places)


def _lines_of(change: Change, hunk: Hunk) -> Iterator[str]:
    names: Sequence[str] = [rewrite.name for rewrite in change.rewrites]
    for kind, line, number in zip(hunk.kinds, hunk.lines, change.rules(hunk), strict=True):
        by = f"    // {names[number]}" if number >= 0 else ""
        yield f"  {kind} {line.text}{by}".rstrip()
