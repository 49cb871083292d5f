"""Functions that are converted and traced as `weft.function` does, and run by the reference interpreter.

What a call gives is made of the interpreter's arrays in the way it is made of compiled code's, so that types, arguments
afterwards and exceptions can be compared with NumPy at a small part of the time that compiling takes. With `--device`
they are compiled after all, for that device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import numpy as np

from support.interpreter import interpret
from weft.frontend.calls import concrete
from weft.frontend.calls.concrete import ConcreteFunction
from weft.frontend.compiling import compile_function
from weft.frontend.compiling.program import CallSignature
from weft.frontend.function import Function
from weft.frontend.guards.inputs import Decisions
from weft.frontend.settings import settings


class _Interpreter:
    """What stands where machine code and its executable are."""

    calls_python = False

    def __init__(self, module: Any, symbol: str, *rest: Any, **options: Any) -> None:
        self._module, self._symbol = module, symbol
        self._callbacks: Sequence[Callable[..., Any]] = ()

    def loaded(self, callbacks: Sequence[Callable[..., Any]]) -> _Interpreter:
        """Itself, with the Python functions that the program calls."""
        self._callbacks = callbacks
        return self

    def __call__(self, *arrays: np.ndarray[Any, Any]) -> list[Any]:
        with np.errstate(all="ignore"):
            outputs = interpret(self._module, self._symbol, arrays, self._callbacks)
        return [output.copy() for output in outputs]  # compiled code's share no memory with what it is given


_INSTEAD = {
    "optimize": lambda module: None,
    "to_linalg": lambda module: None,
    "machine_code": _Interpreter,
    "_packed_inputs": lambda trace, code: [],
}


class Interpreted(Function):
    """A `weft.function` whose traces are interpreted."""

    def _compiled(
        self, signature: CallSignature, leaves: Sequence[Any], decisions: Decisions
    ) -> ConcreteFunction:
        if signature.device is not None:
            return super()._compiled(signature, leaves, decisions)
        with mock.patch.multiple(compile_function, **_INSTEAD):
            program, _ = self._traced(signature, leaves, decisions)
        with mock.patch.object(concrete, "loaded", lambda code, callbacks, *_: code.loaded(callbacks)):
            return ConcreteFunction(signature, program, self)


def interpreted(function: Callable[..., Any]) -> Interpreted:
    """The function, traced at each call of another signature and interpreted."""
    return Interpreted(function, None, None)


def text_of(function: Callable[..., Any], *arguments: Any, stage: str, target: str = "native") -> str:
    """A stage of what a function compiles to, without the machine code that `weft.function` makes besides."""
    with settings.scope(target=target):
        return interpreted(function).get_concrete_function(*arguments).as_text(stage)


__all__ = ["Interpreted", "interpreted", "text_of"]
