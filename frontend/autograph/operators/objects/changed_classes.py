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


def require_state_of_class(trace: Recorder, kind: type, name: str) -> bool:
    """Let an attribute of a class be state; False where it cannot be: what it has is a method, or is not its own."""
    changed = trace.choices.class_attributes
    if (kind, name) in changed:
        return True
    is_plain = type(kind).__setattr__ is type.__setattr__ and is_users_module(kind.__module__)
    if trace.python_state is None or not is_plain or name not in vars(kind) or _is_bound(vars(kind)[name]):
        return False
    if any(_are_made_alike(kind, known) for known, _ in changed):
        return False  # a class that each recording makes anew
    raise BeginsAgain(class_attributes=changed | {(kind, name)})


def class_made(kind: Any) -> Any:
    """Take note of a class that the function makes: what it holds is no state, as each call makes it anew."""
    trace = current_trace()
    if trace is not None and isinstance(kind, type):
        trace.made_classes.add(kind)
        if trace.choices.pooled:
            object_pools.begin_made(trace, kind)
    return kind


def _is_bound(member: object) -> bool:
    return hasattr(type(member), "__get__")


def _are_made_alike(one: type, other: type) -> bool:
    return one is not other and (one.__module__, one.__qualname__) == (other.__module__, other.__qualname__)
