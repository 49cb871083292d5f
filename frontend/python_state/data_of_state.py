"""What of Python's state is data: arrays and numbers that compiled functions get as further arguments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backend.gpu.devices.on_device import ARRAYS, OnDevice, memory_of
from ...dialect.dtypes import is_element
from ...dialect.errors import ConcreteValueError, UnsupportedError
from ...dialect.types import type_of
from ..autograph.library.deques import Deque
from ..autograph.operators.values.known_arrays import is_about_writing
from ..autograph.operators.values.program_locations import ProgramLocation
from ..guards.dependencies import Dependencies
from ..guards.guards import Content, Deep, Guard, Same
from ..guards.handles import Fixed, Handle, Linked, Member, Owner
from ..guards.inputs import NUMBERS, Decisions, Input, Need, Reconsider, may_change
from ..reach.links import link
from ..signature.composite_arrays import is_composite
from ..signature.traced_value import ArrayHolder
from ..tracing.array import TracedArray
from .composite_constants import StandIn, stand_in_of_parts
from .outside_deques import OutsideDeques

if TYPE_CHECKING:
    from ..tracing.trace import Trace


class DataOfState(ABC):
    """The data that one trace found in the state that was there before it."""

    _copies: dict[int, Any]

    def __init__(
        self, trace: Trace, leaves: Iterable[tuple[Any, TracedArray, int]], decisions: Decisions
    ) -> None:
        self._trace = trace
        self._decisions = decisions
        self.guards: list[Guard] = []
        self.inputs: list[Input] = []
        self.shared: list[tuple[Handle, int]] = []
        """Places that hold an array argument, by its position."""
        self._leaves = {id(leaf): (leaf, traced, position) for leaf, traced, position in leaves}
        self._by_value: dict[int, Input | StandIn] = {}
        self._handles: dict[int, tuple[Any, Handle, Any]] = {}
        """The arrays under names, with their handles and keys."""

    @property
    def dependencies(self) -> Dependencies:
        """What the trace depends on."""
        return self._trace.dependencies

    @abstractmethod
    def locate(self, value: Any) -> Handle | None:
        """How an object is found at a later call; None for one that is not found."""

    @abstractmethod
    def _holder(self, value: Any) -> ProgramLocation | None:
        """The place that holds an object."""

    def is_data(self, key: Any, value: Any) -> bool:
        """Whether a place is read at each call, as it held something else before."""
        return self._decisions.is_data(key) and may_change(value)

    def is_state(self, key: Any, value: Any, is_of_variable: bool = False) -> bool:
        """Whether a value is read at each call where an attribute holds it."""
        return self._is_array(value) and self._takes(key, value, is_of_variable)

    @staticmethod
    def _is_array(value: Any) -> bool:
        if isinstance(value, np.generic):
            return is_element(value.dtype)
        return (type(value) is np.ndarray and is_element(value.dtype)) or isinstance(value, OnDevice)

    def _takes(self, key: Any, value: Any, is_of_variable: bool = False) -> bool:
        """Whether an array may be data: not where tracing needs its elements, which those on a device never give."""
        return self._decisions.takes(key, is_of_variable) or isinstance(value, OnDevice)

    def guard_elements(self, handle: Handle, value: Any) -> None:
        """Guard the elements of an array that is no data, as tracing needs them: Python may look at them anywhere."""
        if self._is_array(value) and isinstance(value, np.ndarray):
            self.guards.append(Content(handle, value))

    def require_stand_in(self, key: Any, value: Any) -> None:
        """Begin again where code that is traced as it is has read an array itself that is data elsewhere."""
        is_data = id(value) in self._by_value or id(value) in self._leaves
        if is_data and isinstance(value, ARRAYS) and key not in self._decisions.data:
            raise Reconsider(key)

    def needed_by(self, error: BaseException) -> dict[Any, Need]:
        """The places that an error is about, which says that tracing needs a value: by their keys.

        Begins again where NumPy was to write to a variable that is none of the data.
        """
        variables = [key for key, need in self._decisions.constants.items() if need.is_of_variable]
        if variables and isinstance(error, ValueError) and is_about_writing(error):
            raise Reconsider(variables[0], "the function writes to it") from error
        found: BaseException | None = error
        while found is not None and not isinstance(found, ConcreteValueError):
            found = found.__cause__
        if found is None or found.sources is None:
            return {}
        sources, found.sources = found.sources, None
        needed = {}
        for known in self.inputs:
            if known.traced._storage.value in sources:
                holder = known.handle.parent.get() if isinstance(known.handle, Member) else None
                is_of_variable = isinstance(holder, ArrayHolder)
                name = known.name.rpartition(".")[0] if is_of_variable else known.name
                needed[known.handle.place] = Need(name, found.what, found.instead, is_of_variable)
        for key in needed.keys() & self._decisions.kept.keys():
            reason = f"; {needed[key].name} is not compiled in instead, as {self._decisions.kept[key]}"
            found.args = (f"{found}{reason}", *found.args[1:])
        return needed

    def _make_input(self, handle: Handle, value: Any, number: type | None = None) -> Input:
        """A further argument of the compiled function."""
        tensor_type = type_of(value if isinstance(value, OnDevice) else np.asarray(value))
        array = memory_of(value) if isinstance(value, ARRAYS) else None
        traced = self._trace.add_input(tensor_type, array)._like_python(number)
        found = Input(handle, value, traced)
        self._trace.extra.append(found)
        self.inputs.append(found)
        if number is None:
            self._by_value[id(value)] = found
        return found

    def stand_in(self, handle: Handle, value: Any) -> Any:
        """The traced array or number for a value that is found at later calls by a handle."""
        kind = type(value)
        if isinstance(value, ARRAYS) and id(value) in self._leaves:
            return self._shared_leaf(handle, value)
        known = self._by_value.get(id(value)) if isinstance(value, ARRAYS) else None
        if known is not None:
            self.guards.append(Same(handle, known.handle))
            return known.traced
        if isinstance(value, np.ndarray) and is_composite(value.dtype):
            found = self._by_value[id(value)] = stand_in_of_parts(handle, value, self.stand_in)
            return found.traced
        return self._make_input(handle, value, kind if kind in NUMBERS else None).traced

    def stand_in_of_deque(self, found: deque[Any]) -> Deque:
        """What stands for a deque, which is followed as a copy of it."""
        made: Deque = self._trace.state(OutsideDeques).stand_in(found)
        self._copies[id(made)] = made
        return made

    def stand_in_of_met(self, value: Any) -> Any:
        """What stands for a value, if that is a deque which was met; else the value itself."""
        return self._trace.state(OutsideDeques).made.get(id(value), (value, value))[1]

    def _guard_deques(self) -> None:
        """Guard what is in the deques among the arguments."""
        for found, _ in self._trace.state(OutsideDeques).made.values():
            self.stand_in_of_deque(found)
            self.guards.append(Deep(Owner("a deque among the arguments", found), found, frozenset()))

    def input_of(self, array: Any) -> Any:
        """The traced array that stands for an array which was there before the trace; None for another one."""
        known = self._by_value.get(id(array))
        if known is not None and known.value is array:
            return known.traced
        if id(array) in self._leaves:
            return self._shared_leaf(Fixed(array), array)
        return None

    def _shared_leaf(self, handle: Handle, array: Any) -> Any:
        """The argument that is an array, which a place is bound to hold at later calls too."""
        _, traced, position = self._leaves[id(array)]
        self.shared.append((handle, position))
        return traced

    def data_of(self, array: Any) -> Any:
        """As `input_of`, also for an array under a name that held another one before."""
        traced = self.input_of(array)
        named = self._handles.get(id(array))
        if (
            traced is None
            and named is not None
            and self._decisions.is_data(self._lasting(named[2]))
            and self._is_array(array)
        ):
            return self._make_input(named[1], array).traced
        return traced

    def referent(self, reference: Any, value: Any) -> Any:
        """What stands for an array that a weak reference refers to: it is fetched at each call."""
        traced = self.data_of(value)
        if traced is not None or self._find_array(value)[0] is not None:
            return value if traced is None else traced
        parent = self.locate(reference)
        handle = None if parent is None else Linked(parent.name, parent, link("the referent"))
        if handle is None or not self.is_state(handle.place, value):
            raise UnsupportedError(
                f"this weak reference refers to an array ({value.dtype}), which compiled code would keep alive or "
                "cannot find again: pass the array as an argument, or keep it in a variable or attribute"
            )
        return self._make_input(handle, value).traced

    def state_input(self, handle: Handle, words: Any) -> Any:
        """The traced array of a generator's state, found by a handle at each call."""
        if id(words) in self._leaves:
            return self._shared_leaf(handle, words)
        return self._make_input(handle, words).traced

    def writable(self, array: Any, why: str = "the function writes to it") -> Any:
        """The traced array to write to in the place of one that was there before the trace; or for another reason."""
        traced = self.data_of(array)
        if traced is not None or not (self._is_array(array) or may_change(array)):
            return array if traced is None else traced
        handle, key = self._find_array(array)
        if handle is None:
            return array
        if not self._takes(key, array) or key not in self._decisions.data:
            raise Reconsider(key, why)
        return self.stand_in(handle, array)

    def _is_written(self, array: Any) -> bool:
        """Whether an array of dates, records or texts is data, as the function writes to it."""
        return bool(self._decisions.data) and self._find_array(array)[1] in self._decisions.data

    def require_data(self, array: Any, why: str) -> None:
        """Begin again unless the place of an array is read at each call, as far as it is found then."""
        handle, key = self._find_array(array)
        if handle is not None and not (self._takes(key, array) and key in self._decisions.data):
            raise Reconsider(key, why)

    def returned(self, value: Any) -> Any:
        """What stands for a result: the traced array for one that was there before the trace, which the caller knows.

        An array under a name, of which the result is a view perhaps, has to be data: then the trace begins again.
        """
        traced = self.data_of(value)
        if traced is not None or not self._is_array(value):
            return value if traced is None else traced
        handle, key = self._find_array(value)
        if handle is not None and self._takes(key, value) and key not in self._decisions.data:
            raise Reconsider(key, "the function returns it")
        return value

    def place_of(self, array: Any) -> Handle | None:
        """How an array that was there before is found at later calls; None for one that is not found."""
        named = self._handles.get(id(array))
        return self.locate(array) if named is None else named[1]

    def is_outside(self, value: Any) -> bool:
        """Whether a result is an array that was there before the trace, or a view of one, and is no data."""
        return type(value) is np.ndarray and self._find_array(value)[0] is not None

    def _find_array(self, array: Any) -> tuple[Handle | None, Any]:
        """The place of an array; of the array that it is a view of, as the view is one of the trace at the next try."""
        view = array
        while array.base is not None and id(array) not in self._handles and self._holder(array) is None:
            if not isinstance(array.base, np.ndarray):
                break
            array = array.base
        known = (value for value, _, _ in self._handles.values())
        named = (value for value in known if type(value) is np.ndarray and value.base is array)
        array = next((value for value in named if np.may_share_memory(value, view)), array)
        handle = self.place_of(array)
        return handle, None if handle is None else self._lasting(handle.place)

    def _lasting(self, key: Any) -> Any:
        """The key of a place as the next recording has it: in a deque itself, and not in what stands for it now."""
        owner, *rest = key if isinstance(key, tuple) else (key,)
        original = self._trace.state(OutsideDeques).original(owner)
        return key if original is None else (id(original), *rest)
