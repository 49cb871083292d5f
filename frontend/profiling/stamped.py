"""Compiled functions whose kernels tell when they run: the same programs, compiled once more with time stamps."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ...backend.cpu.lowering.stamps import mark_stamped
from ...backend.executables import loaded
from ...dialect.errors import WeftError
from ...dialect.held_interrupts import interrupts_held
from ...dialect.mlir import ir
from ...dialect.register import context
from ..calls.compile_lock import COMPILE_LOCK
from ..calls.concrete import ConcreteFunction, exception_of
from ..compiling.code_by_text import code_by_text
from ..compiling.compile_function import code_of

if TYPE_CHECKING:
    from ...backend.executables import AnyExecutable

_kept: WeakKeyDictionary[ConcreteFunction, AnyExecutable] = WeakKeyDictionary()
"""They serve the next profile, too."""


class NotStamped(WeftError):
    """A program came out differently with time stamps, so that it cannot take the place of the other."""


def stamped(concrete: ConcreteFunction) -> AnyExecutable:
    """What does the same as the executable of a function, and notes when its kernels run."""
    with COMPILE_LOCK, interrupts_held():
        found = _kept.get(concrete)
        if found is None:
            found = _kept[concrete] = _made(concrete)
        return found


def is_stamped(concrete: ConcreteFunction) -> bool:
    """Whether it is there already."""
    return concrete in _kept


def _made(concrete: ConcreteFunction) -> AnyExecutable:
    recording = concrete._recording()
    dtypes = [type.dtype for type in recording.computed_types]
    with context(), ir.Location.unknown():
        text = recording.module.get_asm(enable_debug_info=True, large_elements_limit=None)
        module = ir.Module.parse(text)
        mark_stamped(module)
        code = code_by_text(
            module,
            recording.symbol,
            recording.target,
            dtypes,
            lambda: code_of(module, recording.symbol, recording.target, dtypes),
        )
    if code.plan != concrete._executable.plan:
        raise NotStamped(f"{concrete.name} has another plan when it is compiled again")
    return loaded(code, concrete._callbacks, concrete._device, exception_of)
