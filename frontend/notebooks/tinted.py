"""A cell with each line tinted by what it became, and open to the sentences about it."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping

from ...dialect.records import NamedTuple
from ..compiling.explanation import Decision, marked_up


class Tint(NamedTuple):
    """What the lines of a colour became."""

    color: str
    name: str


TINTS: Mapping[str, Tint] = {
    "python": Tint("#e5484d55", "calls Python"),
    "unconverted": Tint("#e5484d33", "run by Python while tracing"),
    "host": Tint("#e5484d33", "runs on the host"),
    "scalar": Tint("#f5d90a55", "one element at a time"),
    "strided": Tint("#f5d90a33", "steps through memory"),
    "check": Tint("#ffb22433", "checked while it runs"),
    "copy": Tint("#ffb22422", "copied"),
    "vector": Tint("#30a46c33", "vector code"),
}
"""By the kinds of decisions, from what costs most; a line has the first of those that it has a decision of."""

_STYLE = """
.weft-cell{font:13px/1.5 ui-monospace,Menlo,Consolas,monospace;overflow-x:auto}
.weft-cell summary,.weft-cell .line{white-space:pre;padding-left:.6em;list-style:none;cursor:default}
.weft-cell summary{cursor:pointer}.weft-cell summary::-webkit-details-marker{display:none}
.weft-cell .number{opacity:.5;display:inline-block;width:2.6em}
.weft-cell ul{font-family:system-ui,sans-serif;margin:.2em 0 .5em 3em}
.weft-cell .key span{padding:0 .6em;margin-right:.6em;font-family:system-ui,sans-serif}
"""


def tinted(source: str, file: str, decisions: Iterable[Decision]) -> str:
    """The HTML of a source whose lines are those of a file."""
    found: dict[int, dict[str, list[str]]] = {}
    for decision in decisions:
        if decision.file == file:
            for line in decision.lines or (decision.line,):
                found.setdefault(line, {}).setdefault(decision.kind, []).append(decision.sentence)
    lines = [_line(number, text, found.get(number, {})) for number, text in enumerate(source.splitlines(), 1)]
    used = [kind for kind in TINTS if any(kind in said for said in found.values())]
    key = "".join(
        f"<span style='background:{TINTS[kind].color}'>{html.escape(TINTS[kind].name)}</span>"
        for kind in used
    )
    return f"<style>{_STYLE}</style><div class='weft-cell'><div class='key'>{key}</div>{''.join(lines)}</div>"


def _line(number: int, text: str, said: Mapping[str, list[str]]) -> str:
    shown = f"<span class='number'>{number}</span>{html.escape(text)}"
    if not said:
        return f"<div class='line'>{shown}</div>"
    kind = next((kind for kind in TINTS if kind in said), "")
    style = f" style='background:{TINTS[kind].color}'" if kind else ""
    sentences = "".join(
        f"<li>{marked_up(sentence)}</li>" for sentences in said.values() for sentence in sentences
    )
    return (
        f"<details class='{kind or 'other'}'><summary{style}>{shown}</summary><ul>{sentences}</ul></details>"
    )
