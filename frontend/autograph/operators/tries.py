"""`try` statements: exceptions that Python raises while tracing are handled as Python does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .exits import Exit

Handler = tuple[Callable[[], Any] | None, "str | None", Callable[..., Exit]]


def try_(
    body: Callable[[], Exit],
    handlers: Sequence[Handler] = (),
    orelse: Callable[[], Exit] | None = None,
    finalbody: Callable[[], Exit] | None = None,
    dead: str = "",
) -> Exit:
    """`try: body() except ...: handler() else: orelse() finally: finalbody()`."""
    exit_: Exit = None
    try:
        try:
            exit_ = body()
        except Exception as error:
            for types, name, handler in handlers:
                if types is None or isinstance(error, types()):
                    exit_ = handler(error) if name else handler()
                    break
            else:
                raise
        else:
            if exit_ is None and orelse is not None:
                exit_ = orelse()
    finally:
        if finalbody is not None:
            left = finalbody()
            if left is not None:
                exit_ = left
    return exit_


__all__ = ["try_"]
