"""What the operators and protocols of traced arrays do: the namespace, which is written in terms of them, says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...dialect.records import dataclass


@dataclass(frozen=True)
class Behaviour:
    """What the operators and protocols of traced arrays do; `frontend/compiling/array_behaviour.py` fills it in.

    The namespace is written in terms of traced arrays, so this module cannot import it.
    """

    get_item: Callable[..., Any]
    set_item: Callable[..., None]
    write_back: Callable[..., Any]
    call_ufunc: Callable[..., Any]
    call_function: Callable[..., Any]
    namespace_function: Callable[[str], Callable[..., Any]]
    python_operator: Callable[..., Any]
    number_attribute: Callable[[Any, str], Any]
    repeated_text: Callable[[str, Any], Any]
    composite: Callable[..., Any]
    composite_constant: Callable[..., Any]
    composite_ufunc: Callable[..., Any]
    composite_function: Callable[..., Any]
    composite_method: Callable[..., Any]


_defined: list[Behaviour] = []


def define_behaviour(behaviour: Behaviour) -> None:
    """Say what traced arrays do, before the first of them is made."""
    _defined[:] = [behaviour]


def behaviour() -> Behaviour:
    """What was said."""
    return _defined[0]
