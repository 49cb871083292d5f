"""Exceptions that compiled code raises without Python: of a builtin class, with a text that may show numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...dialect.ops.state import EXCEPTIONS
from ..tracing.array import TracedArray
from .kept_exceptions import number_of
from .strings import RuntimeString


class PlainMessage(NamedTuple):
    """A text with braces for the numbers in it, as `weft.raise_if` has it."""

    text: str
    shown: list[TracedArray]


def plain_message(error: BaseException) -> PlainMessage | None:
    """The text of an exception that is nothing but its class and this text; None for others.

    Those have causes, attributes, notes, other arguments, or parts of a text that only Python can format.
    """
    if EXCEPTIONS.get(type(error).__name__) is not type(error) or number_of(error) is not None:
        return None
    if error.__dict__ or error.__cause__ is not None or error.__suppress_context__ or len(error.args) != 1:
        return None
    (argument,) = error.args
    pieces = [argument] if type(argument) is str else _pieces_of(argument)
    if pieces is None or not all(_is_plain(piece) for piece in pieces):
        return None
    shown: list[TracedArray] = []
    text = ""
    for piece in pieces:
        if isinstance(piece, str):
            text += piece.replace("{", "{{").replace("}", "}}")
        else:
            text += f"{{{len(shown)}:{piece.dtype.name}}}" if piece.dtype.kind == "f" else f"{{{len(shown)}}}"
            shown.append(piece)
    return PlainMessage(text, shown)


def _pieces_of(text: Any) -> list[Any] | None:
    return text.pieces if isinstance(text, RuntimeString) else None


def _is_plain(piece: Any) -> bool:
    """Whether compiled code can write a piece: a text that MLIR can hold, an integer of 64 bits or a double."""
    if isinstance(piece, str):
        return "\0" not in piece and not any("\ud800" <= character <= "\udfff" for character in piece)
    is_number = isinstance(piece, TracedArray) and piece.ndim == 0
    return is_number and piece.dtype.name in _SHOWN


_SHOWN = ("int64", "int32", "int16", "int8", "uint32", "uint16", "uint8", "float64")
