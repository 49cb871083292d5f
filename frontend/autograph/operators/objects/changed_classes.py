"""Attributes of classes that a program changes: counters of instances, registers, caches that all of them share.

They are state like the names of a module. The recording that finds one begins again, so that what is read and what
branches and loops change is known from its beginning.
"""

from __future__ import annotations

from typing import Any

from ....guards.inputs import BeginsAgain
from ....source.modules import is_users_module
from ....tracing.current import current_trace
from ....tracing.recorder import Recorder
from ..tables import object_pools
from ..values.control_flow_state import follow_name
from ..values.object_handles import MadeClass, are_made_alike
from ..values.program_locations import Attribute


def require_state_of_class(trace: Recorder, kind: type, name: str) -> bool:
    """Let an attribute of a class be state; False where it cannot be: what it has is a method, or is not its own."""
    changed = trace.choices.class_attributes
    is_made = kind in trace.made_classes
    holder = MadeClass.of(kind) if is_made else kind
    if (holder, name) in changed:
        return True
    is_plain = type(kind).__setattr__ is type.__setattr__ and is_users_module(kind.__module__)
    if trace.python_state is None or not is_plain or (name not in vars(kind) and not is_made):
        return False
    if _is_bound(vars(kind).get(name)):
        return False
    if any(are_made_alike(kind, known) for known, _ in changed):
        return False  # a class that each recording makes anew
    raise BeginsAgain(class_attributes=changed | {(holder, name)})


def class_made(kind: Any) -> Any:
    """Take note of a class that the function makes: what it holds is no state, as each call makes it anew.

    Branches and loops change its attributes as those of objects.
    """
    trace = current_trace()
    if trace is not None and isinstance(kind, type):
        trace.made_classes.add(kind)
        for holder, name in trace.choices.class_attributes:
            if holder == MadeClass.of(kind):
                follow_name(trace, Attribute(f"{kind.__name__}.{name}", kind, name))
        if trace.choices.pooled:
            object_pools.begin_made(trace, kind)
        for inner in vars(kind).values():  # classes in its body
            if isinstance(inner, type) and inner.__qualname__ == f"{kind.__qualname__}.{inner.__name__}":
                class_made(inner)
    return kind


def _is_bound(member: object) -> bool:
    return hasattr(type(member), "__get__")
