"""The attributes of classes that a program changes: they are read and written as the names of modules are."""

from __future__ import annotations

from abc import abstractmethod

from ..autograph.operators.values.program_locations import Attribute, ProgramLocation, Snapshot
from ..guards.handles import ClassEntry, Handle
from .data_of_state import DataOfState


class ClassState(DataOfState):
    """What one trace reads and changes of what classes hold."""

    snapshot: Snapshot

    @abstractmethod
    def meet_name(self, place: ProgramLocation, handle: Handle, is_read: bool = True) -> None:
        """Guard what is found under a name, or read it at each call."""

    @property
    def class_attributes(self) -> set[tuple[type, str]]:
        """The attributes of classes that the trace changes."""
        return self._decisions.class_attributes

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
            self.meet_class(kind, name)
