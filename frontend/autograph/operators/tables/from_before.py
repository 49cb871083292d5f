"""Lists, dicts and sets that loops and branches know by other names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....runtime_values.results import RuntimeContainer
from ....tracing.current import required_trace
from ..lists.dynamic_lists import is_known_outside
from ..values.control_flow_state import control_flow


def may_be_from_before(value: Any) -> bool:
    """Whether something may be what a loop or branch around knows by another name, or what one carries."""
    carried = control_flow(required_trace()).carried()
    return _may_be(value, lambda one: one is not value and is_known_outside(one)) or _may_be(
        value, lambda one: any(one is other for other in carried)
    )


def _may_be(value: Any, holds: Callable[[Any], bool]) -> bool:
    """Whether something holds for a list, or for one of those of which it is one in Python."""
    others = value.candidates if isinstance(value, RuntimeContainer) else ()
    return holds(value) or any(_may_be(other, holds) for other in others)
