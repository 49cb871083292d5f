"""A whole run as pages in a folder: what was compiled when and why, where the time went, and each function's page."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...dialect.errors import WeftError, WeftValueError
from .summary import Summary, counted, shown_time

if TYPE_CHECKING:
    from ..calls.concrete import ConcreteFunction

MOST_PAGES = 50
"""Of so many functions pages are written, those that took longest: each is compiled once more for its page."""

_STYLE = """\
:root { color-scheme: light dark; }
body { font: 14px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 24px auto; padding: 0 16px; }
h1 { font-size: 20px; } h2 { font-size: 15px; margin: 28px 0 6px; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 500; opacity: .6; }
th, td { padding: 3px 12px 3px 0; border-bottom: 1px solid #8884; vertical-align: top; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
code { font: 12.5px ui-monospace, Menlo, Consolas, monospace; }
"""


class Called:
    """The calls of a compiled function, added up."""

    def __init__(self) -> None:
        self.calls = 0
        self.nanoseconds = 0


def write_report(folder: Path, summary: Summary, start: int, called: dict[ConcreteFunction, Called]) -> None:
    """Write `index.html`, and pages of the functions that were called."""
    ordered = sorted(called, key=lambda one: -called[one].nanoseconds)
    pages = {
        one: written
        for number, one in enumerate(ordered[:MOST_PAGES], 1)
        if (written := _write_page(folder, number, one)) is not None
    }
    text = "\n".join(_markup(summary, start, ordered, called, pages))
    (folder / "index.html").write_text(text, encoding="utf-8")


def _write_page(folder: Path, number: int, concrete: ConcreteFunction) -> str | None:
    """The name of the page of a function; None where there is none, as for what came from a file."""
    from ..pages.page import MOST, page_of  # which loads the compiler

    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", concrete.name)
    file = f"{number:02}_{name}.html"
    try:
        text = page_of(concrete)
        if len(text) > MOST:
            text = page_of(concrete, passes=False)
    except WeftError:
        return None
    (folder / file).write_text(text, encoding="utf-8")
    return file


def _markup(
    summary: Summary,
    start: int,
    ordered: Sequence[ConcreteFunction],
    called: dict[ConcreteFunction, Called],
    pages: dict[ConcreteFunction, str],
) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>weft: a run</title>'
    yield f"<style>{_STYLE}</style></head><body><h1>What was compiled and called</h1>"
    yield f"<p>{html.escape(str(summary).splitlines()[0])}</p>"
    yield "<h2>Functions, those that took longest first</h2>"
    yield from _table(
        ("function", "calls", "time"),
        [
            (
                _linked(_signature(one), pages.get(one)),
                f"{called[one].calls:,}",
                shown_time(called[one].nanoseconds),
            )
            for one in ordered
        ],
    )
    yield "<h2>Compilations, in their order</h2>"
    yield from _table(
        ("at", "function", "took", "why"),
        [
            (
                shown_time(span.begin - start),
                f"<code>{html.escape(span.name)}</code>",
                shown_time(span.end - span.begin),
                html.escape(str(span.told.get("reason", ""))),
            )
            for span in sorted(summary.compiled, key=lambda span: span.begin)
        ],
    )
    yield "<h2>Lines that took longest</h2>"
    yield from _table(
        ("line", "function", "kernel", "calls", "time"),
        [
            (
                f'<code title="{html.escape(kernel.line)}">{html.escape(os.path.basename(kernel.line))}</code>',
                f"<code>{html.escape(kernel.function)}</code>",
                kernel.kernel,
                f"{kernel.calls:,}",
                shown_time(kernel.nanoseconds),
            )
            for kernel in summary.kernels
        ],
    )
    yield from (f"<p>{html.escape(note)}</p>" for note in summary.notes)
    if len(ordered) > MOST_PAGES:
        yield f"<p>{counted(len(ordered) - MOST_PAGES, 'function')} of the shortest times have no page</p>"
    yield "</body></html>"


def _signature(concrete: ConcreteFunction) -> str:
    return repr(concrete)[len("<ConcreteFunction ") : -1]


def _linked(text: str, page: str | None) -> str:
    shown = f"<code>{html.escape(text)}</code>"
    return shown if page is None else f'<a href="{html.escape(page)}">{shown}</a>'


_NUMBERS = ("at", "calls", "time", "took")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        yield "<p>none</p>"
        return
    classes = [' class="number"' if title in _NUMBERS else "" for title in head]
    cells = "".join(f"<th{kind}>{title}</th>" for kind, title in zip(classes, head, strict=True))
    yield f"<table><tr>{cells}</tr>"
    for row in rows:
        cells = "".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(classes, row, strict=True))
        yield f"<tr>{cells}</tr>"
    yield "</table>"


def made_folder(folder: str | os.PathLike[str]) -> Path:
    """The folder of a report, which is made, and can be written to."""
    path = Path(folder)
    if path.is_file():
        raise WeftValueError(
            f"weft.profile(pages={str(folder)!r}): that is a file; name a folder for the pages"
        )
    path.mkdir(parents=True, exist_ok=True)
    (path / "index.html").write_text("")
    return path
