"""What functions that run as they are would do once, while tracing, without anybody seeing it: their code tells."""

from __future__ import annotations

import builtins
import inspect
import types
from collections.abc import Iterator
from typing import Any

from .....dialect.errors import UnsupportedError
from ....guards.call_effects import Does, effect_of
from ....source.modules import is_users_module
from ....source.name_uses import name_uses
from ....tracing.init_scope import init_scope
from ..values.hidden_state import INSTEAD


def refuse_unseen_effects(function: types.FunctionType) -> None:
    """Refuse a function without a source that draws random numbers, reads the clock, prints and the like."""
    found = next(_effects_of(function, set()), None)
    if found is not None:
        raise UnsupportedError(
            f"{function.__qualname__}() has no source that could be converted, and runs as it is while the function is "
            f"traced, but {found}, which would happen once then, and not at each call: write it to a file, or "
            + INSTEAD.format("call it")
        )


def _effects_of(function: types.FunctionType, seen: set[types.CodeType]) -> Iterator[str]:
    """What a function calls that does something else at each call, in words, also in functions that it calls."""
    if function.__code__ in seen:
        return
    seen.add(function.__code__)
    found = {chain: _value_of(function, chain) for chain in sorted(name_uses(function.__code__).chains)}
    if any(value is init_scope for value in found.values()):
        return  # it says what is done once
    for chain, called in found.items():
        if isinstance(called, types.FunctionType) and is_users_module(called.__module__):
            yield from _effects_of(called, seen)
        elif called is print:
            yield "print() is called in it"
        elif callable(called) and not isinstance(called, type):
            effect = effect_of(called)
            if effect.does in (Does.ACTS, Does.VARIES):
                yield f"{'.'.join(chain)}() {effect.why or 'acts'}"


def _value_of(function: types.FunctionType, chain: tuple[str, ...]) -> Any:
    """What a name with attributes behind it is, of modules and generators, as far as that is known without calling."""
    name, *attributes = chain
    variables = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    if name in variables:
        value = _content(variables[name])
    else:
        value = function.__globals__.get(name, getattr(builtins, name, None))
    for attribute in attributes:
        value = (
            inspect.getattr_static(value, attribute, None)
            if not _is_open(value)
            else getattr(value, attribute, None)
        )
    return value


def _is_open(value: Any) -> bool:
    """Whether reading attributes of a value runs nothing of the program's: modules, and objects of libraries."""
    return isinstance(value, types.ModuleType) or not is_users_module(type(value).__module__)


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None
