"""Where MLIR text cannot be read for a reason that MLIR keeps to itself."""

from __future__ import annotations

import re
from typing import NamedTuple

from .mlir import ir

_UNKNOWN = "wef_"  # as long as the dialect's name, so that columns stay, and no dialect
_STRING_OR_DIALECT = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|(?<![\w.$%@#!^])weft(?=\.\w)')


_OWN_FORM = re.compile(
    r"(?P<name>weft\.\w+)\s*(?P<operands>%[\w.$#-]+(?:\s*,\s*%[\w.$#-]+)*)\s*(?P<attributes>\{[^{}]*\})?"
    r"\s*:\s*(?P<type>[!\w][\w.]*<[^<>]*>)\s*(?:loc\(|//|$)"
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
        return f"ops of weft have the generic form only: write {self.generic}"


def _generic(text: str, name: str) -> str:
    """The generic form of an op, as its text tells it."""
    found = _OWN_FORM.match(text)
    if found is None:
        return f'"{name}"(%operands) {{attributes}} : (types) -> type'
    count = found["operands"].count("%")
    attributes = f" {found['attributes']}" if found["attributes"] else ""
    types = ", ".join([found["type"]] * count)
    return f'"{name}"({found["operands"]}){attributes} : ({types}) -> {found["type"]}'


def first_unquoted_op(text: str) -> UnquotedOp | None:
    """The first op of weft that does not have the generic form, of a text that ended MLIR's parser without a word.

    Ops that are defined through IRDL have no other form, and parsers of other forms fail without a diagnostic. Ops of
    a dialect that is unknown have one: the text is read as if weft were unknown. Call it in a context.
    """

    def forget(match: re.Match[str]) -> str:
        return _UNKNOWN if match[0] == "weft" else match[0]

    errors = ir.Context.current.emit_error_diagnostics
    ir.Context.current.emit_error_diagnostics = False
    try:
        ir.Module.parse(_STRING_OR_DIALECT.sub(forget, text))
    except ir.MLIRError as error:
        for diagnostic in error.error_diagnostics:
            name = re.search(rf"custom op '{_UNKNOWN}\.(\w+)'", diagnostic.message)
            place = re.search(r":(\d+):(\d+)\)$", str(diagnostic.location))
            if name and place:
                op, line, column = f"weft.{name[1]}", int(place[1]), int(place[2])
                rest = text.split("\n")[line - 1].encode()[column - 1 :].decode(errors="replace")
                return UnquotedOp(op, line, column, _generic(rest, op))
    finally:
        ir.Context.current.emit_error_diagnostics = errors
    return None


__all__ = ["UnquotedOp", "first_unquoted_op"]
