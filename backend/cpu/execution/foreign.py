"""Code for other machines: it can be looked at, and a call of it is an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from ....dialect.callbacks import Callback
from ....dialect.errors import UnsupportedError
from ...planning.plan import MachineCode
from .executable import Executable


def loaded(code: MachineCode, callbacks: Sequence[Callback] = ()) -> Executable:
    """Machine code in memory, ready to be called; if it is for another machine, what says so when it is called."""
    if code.target != "native":
        from ...target import named, why_not_here  # which asks LLVM for the processor

        if reason := why_not_here(named(code.target)):
            return ForeignCode(code, reason)
    return Executable(code, callbacks)


class ForeignCode(Executable):
    """A compiled function that this machine cannot run: there is no machine code in memory."""

    def __init__(self, code: MachineCode, reason: str) -> None:
        self.plan, self.calls_python = code.plan, False
        self._message = f"{code.plan.name} was compiled for the target {code.target}, but {reason}"

    def __call__(self, *arrays: object, **options: Any) -> NoReturn:
        """Raise `UnsupportedError`."""
        raise UnsupportedError(self._message)
