"""State of Python that is data: compiled functions get it as further arguments, fetched at each call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ...backend.gpu.devices.on_device import OnDevice
from ...dialect.dtypes import is_element
from ...dialect.records import NamedTuple
from ...dialect.types import TensorType
from ..signature.composite_arrays import are_parts_writable, is_composite_value
from ..signature.traced_value import TracedValue
from .handles import Handle

CONSTANT_BYTES = 1024
"""Arrays from outside up to this size are constants as long as they do not change; larger ones are data."""

NUMBERS = (int, float, complex)
"""Python's numbers that may be data."""


class Reconsider(BaseException):
    """The trace has to begin again with another decision about what is data."""

    def __init__(self, key: Any, reason: str = "") -> None:
        super().__init__(key, reason)
        self.key = key
        self.reason = reason
        """Why the place has to be data whatever needs its value, in words; "" where it need not."""


class Choices(NamedTuple):
    """What a recording has to know from its beginning, and an earlier one has found out."""

    own_items: frozenset[bool | None] = frozenset()
    """Whether arrays (True), lists and sets (False), dicts and objects (None) in lists stay themselves: they change."""
    changed_at: Any = None
    """Where one of those is changed."""
    own_chosen: bool = False
    """Whether containers of one of several objects remain one of several: they are changed."""
    own_objects: Any = None
    """Why objects that are made have to be told apart where paths join; None where what they hold is enough."""
    pooled: frozenset[Any] = frozenset()
    """The classes whose objects are rows of pools, and the keys of such dicts: they are changed, or lead far."""
    pooled_for: tuple[Exception, bool] | None = None
    """What was refused before that."""
    called_whole: Mapping[Any, Any] = MappingProxyType({})
    """The functions of libraries that are called when the program runs, with why they are not converted."""
    class_attributes: frozenset[tuple[Any, str]] = frozenset()
    """The attributes of classes that are changed: they are read and written as names of modules are.

    A class that each recording makes anew is told by its name.
    """
    recursive: frozenset[Any] | None = frozenset()
    """Where functions are written that call themselves with other constants and lengths of lists in each call.

    None where recording one call of them was refused: each is recorded by itself, as long as that ends.
    """


class BeginsAgain(BaseException):
    """The recording begins again, with other choices: they are given by name. Nothing in between takes it."""

    def __init__(self, **choices: Any) -> None:
        super().__init__(choices)
        self.choices = choices


class Need(NamedTuple):
    """Why what a place of the state holds is compiled in: tracing needs its value."""

    name: str
    """The user's words for the place."""
    what: str
    """What needs it."""
    instead: str
    """What to write."""
    is_of_variable: bool
    """Whether the program made a variable of it, which says that it changes."""


class Decisions:
    """What is data and what is constant of the state outside of the arguments."""

    def __init__(self) -> None:
        self.data: set[Any] = set()
        """The places that changed, and are therefore read at each call."""
        self.kept: dict[Any, str] = {}
        """The places that are data whatever needs their values, and why."""
        self.needed: dict[Any, Need] = {}
        """The places whose values the last trace needed."""
        self.constants: dict[Any, Need] = {}
        """The places whose values are compiled in, as tracing needs them."""
        self.takes_data = True
        """Whether there may be any: tracing may need values, and it is not known which."""
        self.choices = Choices()
        self.has_data = False
        """Whether the last trace made data of something."""

    def takes(self, key: Any, is_of_variable: bool = False) -> bool:
        """Whether a place may be data: not where tracing needs what it holds."""
        return key in self.kept or ((self.takes_data or is_of_variable) and key not in self.constants)

    def is_data(self, key: Any) -> bool:
        """Whether a place that changed is read at each call."""
        return key in self.data and self.takes(key)

    def reconsider(self, again: Reconsider) -> None:
        """Let a place be data, perhaps whatever needs its value."""
        self.data.add(again.key)
        if again.reason:
            self.kept[again.key] = again.reason
            self.constants.pop(again.key, None)

    def give_in(self) -> bool:
        """Let places be constants whose values tracing needed; False where nothing is left that could be tried.

        Where it is not known which these are, all are but for variables.
        """
        needed = {key: need for key, need in self.needed.items() if key not in self.constants}
        if needed:
            self.constants |= needed
            return not needed.keys() & self.kept.keys()
        tries = self.takes_data and self.has_data
        self.takes_data = False
        return tries

    def take_back(self) -> None:
        """Forget what was tried, as it was something else that failed."""
        self.constants, self.takes_data = {}, True

    def fit(self, inputs: Iterable[Any]) -> bool:
        """Whether inputs of a compiled function are of all places that changed."""
        return self.data <= {found.handle.place for found in inputs if isinstance(found, Input)}


class Input:
    """An array or number of Python's state that compiled code gets as a further argument."""

    def __init__(self, handle: Handle, value: Any, traced: TracedValue) -> None:
        self.handle = handle
        self.value = value
        """What the trace found; not kept afterwards."""
        self.traced: Any = traced
        self.type: TensorType = traced.type
        self.device = value.device if isinstance(value, OnDevice) else None
        """The device that it lies on."""
        self.kind = type(value)
        """The class that its value must have."""

    @classmethod
    def of_array(cls, handle: Handle, type: TensorType) -> Input:
        """An array of a type that a place holds, which no trace has met in this process."""
        made = cls.__new__(cls)
        made.handle, made.type, made.kind = handle, type, np.ndarray
        made.value = made.traced = made.device = None
        return made

    @property
    def name(self) -> str:
        """The user's words for it."""
        return self.handle.name

    def fetch(self) -> Any:
        """The array of a call; None where there is something else now."""
        value = self.handle.get()
        if type(value) is not self.kind:
            return None
        if self.kind is np.ndarray or self.device is not None:
            if self.device is not None and value.device != self.device:
                return None
            return value if value.dtype == self.type.dtype and value.shape == self.type.shape else None
        try:
            return np.asarray(value, self.type.dtype)
        except OverflowError:
            return None

    def changed(self) -> str:
        """Why `fetch` gives None."""
        where = f" on {self.device}" if self.device else ""
        return f"{self.name} is no longer {self.type}{where}"

    def forget(self) -> None:
        """Keep no values of the trace."""
        self.value = self.traced = None


def may_change(value: Any) -> bool:
    """Whether what is traced can stand for a value."""
    if type(value) is int:
        return -(2**63) <= value < 2**63
    is_array = isinstance(value, np.generic) or type(value) is np.ndarray
    if is_composite_value(value):
        return are_parts_writable(value)
    return type(value) in NUMBERS or (is_array and is_element(value.dtype))
