"""The net under the walk: what converted code changes that no snapshot sees is refused at its line, never kept.

A recording takes back what a branch or loop did to all that was reached before it, and lets the program do it when it
runs. What changes in another way, or in something that was reached by another road, would have happened once.
"""

from __future__ import annotations

import gc
import types
from typing import Any

from .....dialect.errors import UnsupportedError
from ....guards.unbound import UNBOUND
from ....runtime_values.kept_exceptions import number_of
from ....runtime_values.objects import require_no_part
from ....source.modules import is_own_module, is_users_module
from ....source.plain_items import contents
from ....tracing.recorder import Recorder
from .control_flow_state import control_flow
from .plain_places import note_changed
from .program_locations import Snapshot

MOST_VISITED = 100_000
"""So many objects are looked at for one that a snapshot may have missed."""


class Remembered:
    """What the functions gave in one recording that `functools.lru_cache` remembers."""

    def __init__(self) -> None:
        self.results: dict[Any, Any] = {}


class Copies:
    """The lists, dicts and sets in one recording that stand for ones outside, which nobody would see a change of."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, str]] = {}

    def add(self, value: Any, of: str) -> None:
        """Take note of what is in a value that is, in words, of something."""
        if isinstance(value, (list, dict, set)):
            self._known[id(value)] = value, of
        if isinstance(value, (list, tuple, dict)):
            for item in contents(value):
                self.add(item, of)

    def __contains__(self, container: Any) -> bool:
        known, _ = self._known.get(id(container), (None, ""))
        return known is container

    def require_none(self, container: Any) -> None:
        """Refuse to change one of them."""
        known, of = self._known.get(id(container), (None, ""))
        if known is container:
            raise UnsupportedError(
                f"this changes a {_kind(container)} that is {of}: compiled code has a copy of it, and the change would "
                "be lost. Change a copy (copy.deepcopy), or do it in a function for weft.py_call"
            )


def require_followed(trace: Recorder | None, container: Any) -> None:
    """Refuse to change the entries of something that nothing follows."""
    require_no_part(container)
    note_changed(trace, container)
    if trace is None or type(container) in _WITHOUT_ENTRIES or is_own_module(type(container).__module__):
        return
    if any(container is result for result in trace.state(Remembered).results.values()):
        raise UnsupportedError(
            f"this changes a {_kind(container)} that functools.lru_cache remembers, and gives to later calls, too: "
            "compiled code has one of its own in each call. Change a copy (copy.deepcopy), or keep it in a variable"
        )
    trace.state(Copies).require_none(container)
    for snapshot in control_flow(trace).snapshots:
        if id(container) in snapshot.opaque or (
            not snapshot.knows(container) and _hides(snapshot, container)
        ):
            raise _refusal(f"a {_kind(container)}")


def require_followed_attribute(trace: Recorder, owner: Any, name: str) -> None:
    """Refuse to set an attribute that its object does not keep where changes are seen: `error.args`, `x.__class__`."""
    require_no_part(owner)
    if isinstance(owner, BaseException) and number_of(owner) is not None and not name.startswith("__"):
        raise UnsupportedError(
            f"the attribute {name!r} of an exception is set that was caught when the compiled function runs: keep it "
            "in a variable, or raise another exception that has it (raise Error(...) from error)"
        )
    note_changed(trace, owner, name)
    member = next((vars(base)[name] for base in type(owner).__mro__ if name in vars(base)), UNBOUND)
    is_hidden = (
        member is not UNBOUND
        and hasattr(type(member), "__set__")
        and not is_users_module(type(member).__module__)
        and not isinstance(member, property)
        and not _is_slot(member)
        and name not in ("__dict__", "__weakref__")
    )
    if not is_hidden or is_own_module(type(owner).__module__):
        return
    state = trace.python_state
    is_from_outside = state is not None and state.knows(owner)
    if is_from_outside or any(snapshot.knows(owner) for snapshot in control_flow(trace).snapshots):
        raise _refusal(f"{name!r} of a {_kind(owner)}")


def _is_slot(member: Any) -> bool:
    """Whether a member is a slot that a class of the program declares."""
    return isinstance(member, types.MemberDescriptorType) and is_users_module(member.__objclass__.__module__)


def _hides(snapshot: Snapshot, wanted: Any) -> bool:
    """Whether an object is in something that a snapshot has met and cannot look into."""
    pending = list(snapshot.opaque.values())
    seen = set(map(id, pending))
    while pending and len(seen) < MOST_VISITED:
        for found in gc.get_referents(pending.pop()):
            if found is wanted:
                return True
            if id(found) not in seen and not snapshot.knows(found) and not isinstance(found, _ENDS):
                seen.add(id(found))
                if not is_own_module(type(found).__module__):
                    pending.append(found)
    return False


_ENDS = (
    type, types.ModuleType, types.FunctionType, types.CodeType, types.FrameType, str, bytes, int, float, type(None),
)  # fmt: skip
"""What leads to everything, or nowhere."""

_WITHOUT_ENTRIES = frozenset({int, float, str, bool, type(None), tuple, bytes, complex})


def _kind(value: Any) -> str:
    return type(value).__qualname__


def _refusal(what: str) -> UnsupportedError:
    return UnsupportedError(
        f"this changes {what}, which compiled code does not follow: it would happen once, while the function is "
        "traced, and not when it runs. Keep what changes in a variable, a list, a dict or an attribute that is reached "
        "by names, entries and attributes, or change it outside of the compiled function"
    )
