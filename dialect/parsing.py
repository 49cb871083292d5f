"""Where MLIR text cannot be read for a reason that MLIR keeps to itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .mlir import ir

_STRING_OR_DIALECT = r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|(?<![\w.$%@#!^])(?:{names})(?=\.\w)'


_OWN_FORM = re.compile(
    r"(?P<name>\w+\.\w+)\s*(?P<operands>%[\w.$#-]+(?:\s*,\s*%[\w.$#-]+)*)\s*(?P<attributes>\{[^{}]*\})?"
    r"\s*:\s*(?P<type>[!\w][\w.]*(?:<[^<>]*>)?)\s*(?:loc\(|//|$)"
)
"""What people write for an op whose operands and result are of one type."""


class UnquotedOp(NamedTuple):
    """An op of weft that is written in a form of its own, and where it stands (from 1 on)."""

    name: str
    line: int
    column: int
    generic: str
    """What to write instead."""

    @property
    def message(self) -> str:
        """What is wrong with it."""
        dialect = self.name.partition(".")[0]
        return f"ops of {dialect} have the generic form only: write {self.generic}"


def _generic(text: str, name: str) -> str:
    """The generic form of an op, as its text tells it."""
    found = _OWN_FORM.match(text)
    if found is None:
        return f'"{name}"(%operands) {{attributes}} : (types) -> type'
    count = found["operands"].count("%")
    attributes = f" {found['attributes']}" if found["attributes"] else ""
    types = ", ".join([found["type"]] * count)
    return f'"{name}"({found["operands"]}){attributes} : ({types}) -> {found["type"]}'


def first_unquoted_op(text: str, dialects: Sequence[str] = ("weft",)) -> UnquotedOp | None:
    """The first op of some dialects that does not have the generic form, of a text that ended MLIR's parser without a
    word.

    Ops that are defined through IRDL have no other form, and parsers of other forms fail without a diagnostic. Ops of
    a dialect that is unknown have one: the text is read as if these were unknown. Call it in a context.
    """
    unknown = {f"{name[:-1]}_": name for name in dialects}  # as long as the names, so that columns stay
    pattern = re.compile(_STRING_OR_DIALECT.format(names="|".join(map(re.escape, dialects))))

    def forget(match: re.Match[str]) -> str:
        return f"{match[0][:-1]}_" if match[0] in dialects else match[0]

    errors = ir.Context.current.emit_error_diagnostics
    ir.Context.current.emit_error_diagnostics = False
    try:
        ir.Module.parse(pattern.sub(forget, text))
    except ir.MLIRError as error:
        for diagnostic in error.error_diagnostics:
            name = re.search(r"custom op '(\w+)\.(\w+)'", diagnostic.message)
            place = re.search(r":(\d+):(\d+)\)$", str(diagnostic.location))
            if name and place and name[1] in unknown:
                op, line, column = f"{unknown[name[1]]}.{name[2]}", int(place[1]), int(place[2])
                rest = text.split("\n")[line - 1].encode()[column - 1 :].decode(errors="replace")
                return UnquotedOp(op, line, column, _generic(rest, op))
    finally:
        ir.Context.current.emit_error_diagnostics = errors
    return None
