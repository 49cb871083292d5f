"""What a recording asks of the state of Python that was there before it: arrays, attributes, functions."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Protocol

from ..guards.handles import Handle
from ..signature.traced_value import TracedValue


class Lookups(Protocol):
    """Takes note of what is found by looking it up: in modules, classes and namespaces."""

    def attribute(self, owner: Any, name: str) -> None:
        """An attribute of an object is about to be read."""

    def absent(self, owner: Any, name: str) -> None:
        """An object has no such attribute."""

    def whole(self, owner: Any) -> None:
        """All attributes of an object are looked at."""

    def entry(self, container: Any, key: Any) -> None:
        """An entry of a dict is about to be read, which may be a name of a module."""

    def special(self, kind: type, name: str) -> None:
        """It was asked which method Python would call for the instances of a class."""

    def subclass(self, kind: type, classes: Any, answer: bool) -> None:
        """It was asked whether a class is one of others."""

    def chosen(self, function: FunctionType, kind: type) -> None:
        """A generic function chose a function for a class."""

    def variable(self, variable: Any) -> None:
        """A variable of the context is about to be used."""

    def held(self, owner: Any, name: str) -> None:
        """What is recorded holds while an attribute of an object of a library is the object that it is now."""

    def compared(self, left: Any, right: Any) -> None:
        """It was asked whether two objects are one."""


class Stores(Protocol):
    """What takes note of the places that a program stores to."""

    def note(self, owner: Any, name: str) -> None:
        """Take note that an attribute is set or deleted."""


class ExternalState(Protocol):
    """The state that was there before the recording: what is read of it becomes guards and inputs."""

    @property
    def stored(self) -> Stores:
        """Takes note of what is stored, though it may be there already."""

    @property
    def lookups(self) -> Lookups:
        """Takes note of what is looked up."""

    @property
    def takes_data(self) -> bool:
        """Whether arrays from outside may be data: not where tracing turned out to need their elements."""

    def input_of(self, array: Any) -> TracedValue | None:
        """The traced array that stands for an array which was there before; None for another one."""

    def data_of(self, array: Any) -> TracedValue | None:
        """As `input_of`, also for an array under a name that held another one before."""

    def stand_in(self, handle: Handle, value: Any) -> Any:
        """The traced array or number for a value that is found at later calls by a handle."""

    def writable(self, array: Any, why: str = "the function writes to it") -> Any:
        """The traced array to write to in the place of one that was there before; or for another reason."""

    def returned(self, value: Any) -> Any:
        """What stands for a result: the traced array for one that was there before."""

    def place_of(self, array: Any) -> Handle | None:
        """How an array that was there before is found at later calls; None for one that is not found."""

    def is_outside(self, value: Any) -> bool:
        """Whether a result is an array that was there before the recording, or a view of one, and is no data."""

    def attribute(self, owner: Any, name: str, value: Any) -> Any:
        """Take note that an attribute is read; returns what the recording works with."""

    def attributes_before(self, owner: Any) -> dict[str, Any] | None:
        """The attributes that an object had before the recording; None for one that was not there."""

    def referent(self, reference: Any, value: Any) -> Any:
        """What stands for an array that a weak reference refers to."""

    def require_own_context(self, context: Any, name: str) -> None:
        """Refuse to change the context of decimal that was there before."""

    def generator(self, value: Any) -> Any:
        """What stands for a random generator that was there before; the value itself where nothing does."""

    @property
    def owner(self) -> Any:
        """What the function belongs to that is traced: the object whose method it is, or the function itself."""

    def hold(self, owner: Any, name: str | None) -> None:
        """Take note of an object, however it was found, so that its attributes are state."""

    def meet(self, function: FunctionType) -> None:
        """Guard what the code of a function reads by name, before it runs for the first time."""

    def include_in(self, snapshot: Any) -> None:
        """Let a snapshot remember all that was met so far and can be changed."""

    def knows(self, value: Any) -> bool:
        """Whether an object was there before, as far as that is known."""

    def aside(self) -> Callable[[], None]:
        """Begin a block in which nothing is recorded; returns what ends it."""

    def has_changed(self) -> bool:
        """Whether the recording changed anything of it so far."""

    def store_now(self) -> None:
        """Record that the call stores here what it changed so far: it ends with an exception."""
