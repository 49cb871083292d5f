"""The attributes of classes that a program changes: they are read and written as the names of modules are."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from ..autograph.operators.values.program_locations import Attribute, ProgramLocation, Snapshot
from ..guards.handles import ClassEntry, Handle
from .data_of_state import DataOfState


class ClassState(DataOfState):
    """What one trace reads and changes of what classes hold."""

    snapshot: Snapshot

    @abstractmethod
    def meet_name(self, place: ProgramLocation, handle: Handle, is_read: bool = True) -> None:
        """Guard what is found under a name, or read it at each call."""

    @abstractmethod
    def meet_variable(self, variable: ContextVar[Any]) -> None:
        """Guard the value of a variable of the context, or read it at each call."""

    @abstractmethod
    def attributes_before(self, owner: Any) -> dict[str, Any] | None:
        """The attributes that an object had before the trace; None for one that was not there."""

    @abstractmethod
    def locate_value(self, value: Any) -> Handle | None:
        """How an array or container that was there before the trace is found at a later call."""

    @abstractmethod
    def guard_late(self, handle: Handle, value: Any, skip: frozenset[tuple[Any, ...]] = frozenset()) -> None:
        """Guard a container, but for the paths that are data, as before the trace, which may have changed it by now."""

    @abstractmethod
    def note_guarded(self, key: Any) -> None:
        """Take note that the attribute of a place is compared with what holds it."""

    @abstractmethod
    def handles_of(self, generator: Any) -> Iterator[Handle]:
        """How a generator that was there before is found at a later call: all places that hold its bit generator."""

    @property
    def class_attributes(self) -> frozenset[tuple[Any, str]]:
        """The attributes of classes that the trace changes."""
        return self._decisions.choices.class_attributes

    def is_made(self, kind: object) -> bool:
        """Whether the function makes a class, so that what it holds was not there before."""
        return kind in self._trace.made_classes

    def meet_class(self, kind: type, name: str) -> bool:
        """Guard an attribute of a class, or read it at each call, if it changes; whether it does."""
        place = Attribute(f"{kind.__name__}.{name}", kind, name)
        is_changed = (kind, name) in self.class_attributes
        if is_changed:
            self.snapshot.add_name(place)
        elif not self._decisions.is_data(place.key()):
            return False
        self.meet_name(place, ClassEntry(kind, name))
        return True

    def meet_classes(self) -> None:
        """Take note of all attributes of classes that the trace changes, before it does."""
        for kind, name in self.class_attributes:
            if isinstance(kind, type):  # not one that the function makes
                self.meet_class(kind, name)
