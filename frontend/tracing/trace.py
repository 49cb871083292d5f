"""A recording of one run of the user's function: ops of the weft dialect, in program order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import numpy as np

from ...backend.gpu.devices.on_device import OnDevice
from ...backend.planning.names import symbol_name
from ...dialect.attributes import type_from_mlir, type_to_mlir
from ...dialect.callbacks import Callback, name_of, native_of
from ...dialect.errors import (
    LeakedArrayError,
    PythonNumberError,
    TraceSizeError,
    UnsupportedError,
    WeftTypeError,
    WeftValueError,
)
from ...dialect.held_interrupts import raise_held
from ...dialect.host_calls import create_host_call
from ...dialect.made_ops import operation_of, value_of
from ...dialect.mlir import Location, Type, Value, dialect, ir
from ...dialect.op import Op
from ...dialect.ops.creation import Constant
from ...dialect.ops.shape import Squeeze
from ...dialect.ops.slicing import Slice
from ...dialect.ops.state import AllocRef, RaiseIf, ReadRef
from ...dialect.register import context, create
from ...dialect.types import RefType, TensorType, type_of
from ..guards.captures import Capture
from ..guards.handles import Handle
from ..guards.inputs import CONSTANT_BYTES, Input
from ..guards.packed_inputs import is_constant
from ..settings import settings
from ..signature.signature import require_plain
from ..source.locations import (
    Caller,
    SourceRange,
    callers,
    caret_snippet,
    place_of_user,
    user_places,
)
from ..source.tracebacks import remember
from .array import TracedArray
from .layouts import Layout, layout_of
from .needed_numbers import LengthNumber, need_all_numbers
from .recorder import CapturedArray, Recorder, Storage
from .regions import Region, Section

_func = dialect("func")


class Trace(Recorder):
    """Records ops into a function of a new module; one per signature of a `weft.function`."""

    def __init__(
        self,
        name: str,
        argument_types: Sequence[TensorType],
        argument_names: Sequence[str],
        scalars: Collection[int] = (),
        layouts: Sequence[Layout] = (),
        place: tuple[str, int] = ("", 0),
    ) -> None:
        super().__init__(name)
        self.symbol = symbol_name(name)
        """What the function is called in the module."""
        self.active = True
        self._symbols = 0
        self._callers: Caller | None = None
        """The calls around the branch, loop or function that is being recorded."""
        self.has_returned = False
        """Whether the user's function has ended, and results are recorded: they belong to all of it."""
        self.callbacks: list[Callback] = []
        """The Python functions that the program calls when it runs."""
        self._at_entry: set[Callback] = set()
        self.captures: list[Capture] = []
        self.extra: list[Capture | Input] = []
        """What the function gets behind its arguments: large arrays from outside, and state that is data."""
        self._captured: dict[int, Capture] = {}
        self._watched: dict[int, Capture] = {}
        with context(), ir.Location.unknown():
            self.module = ir.Module.create()
            with ir.InsertionPoint(self.module.body):
                inputs = [type_to_mlir(t) for t in argument_types]
                location = ir.Location.file(*place, 0) if place[0] else ir.Location.unknown()
                self.function = _func.FuncOp(self.symbol, ir.FunctionType.get(inputs, []), loc=location)
                self.block = self.function.add_entry_block([ir.Location.name(n) for n in argument_names])
        self.entry = self.region = Region(self.block, None)
        # A NumPy scalar has no memory of the caller's: it is like something that the trace computed.
        self.arguments = [
            TracedArray(Storage(self, self.block.arguments[i], argument_type, None if i in scalars else i))
            for i, argument_type in enumerate(argument_types)
        ]
        self._argument_names = tuple(argument_names)
        for traced, layout in zip(self.arguments, layouts, strict=False):
            traced._storage.layout = layout
            self.matrices |= layout.sources if traced.ndim > 1 else frozenset()

    def argument_name(self, storage: Storage) -> str | None:
        """What the argument is called that is stored so; None for what is no argument."""
        named = zip(self.arguments, self._argument_names, strict=False)
        return next((name for traced, name in named if traced._storage is storage), None)

    def make_number(self, position: int, number: type, key: int) -> None:
        """Let an argument be a Python number; `key` tells which, where its value turns out to be needed."""
        self.numbers[self.block.arguments[position]] = key
        if number is LengthNumber:
            self.length_numbers.add(key)
        self.arguments[position]._like_python(int if number is LengthNumber else number)

    def make_packed(self, position: int, key: int) -> None:
        """Let an argument hold the numbers of a list; `key` tells which, where one of them turns out to be needed."""
        self.numbers[self.block.arguments[position]] = key

    def element_at_entry(self, argument: Value, position: int) -> Value:
        """The number at a place of an argument that holds those of a list, wherever the trace is now."""
        self.op_count += 1
        bounds = {"start": (position,), "stop": (position + 1,), "step": (1,)}
        with context(), ir.InsertionPoint.at_block_begin(self._root.block), ir.Location.unknown():
            part = create(Slice, [argument], bounds).result
            element = create(Squeeze, [part], {"axes": (0,)})
        self._root.hoist(element)
        self.numbers[element.result] = self.numbers[argument]
        return element.result

    def call_at_entry(self, callback: Callback) -> None:
        """Let the program call a Python function, of no arguments and results, once, before all else."""
        if callback in self._at_entry:
            return
        self._at_entry.add(callback)
        self.has_effects = True
        self.callbacks.append(callback)
        number, name = len(self.callbacks) - 1, name_of(callback)
        with context(), ir.InsertionPoint.at_block_begin(self.block):
            call = create_host_call(self.module.body, number, [], [], name, ir.Location.unknown())
        self.entry.hoist(call)

    # Recording

    def create(
        self,
        op_class: type[Op],
        operands: list[Value],
        attributes: dict[str, Any],
        raised: TracebackType | None = None,
    ) -> Sequence[Value]:
        """Record an op on SSA values at the user's present location, as `location` has it; returns its results."""
        raise_held()
        self._require_recording()
        self.op_count += 1
        self.created += 1
        if self.created > self.worth_recording:
            need_all_numbers(self, "a recording that would be too large")
        if self.op_count > settings.max_trace_ops:
            raise TraceSizeError(
                f"the trace of {self.name} has more than {settings.max_trace_ops} operations; a Python loop or "
                "recursion around array operations is unrolled while tracing: make it shorter, work on whole arrays, "
                "or raise weft.settings.max_trace_ops (WEFT_MAX_TRACE_OPS)"
            )
        with context(), ir.InsertionPoint(self.region.block):
            operation = create(op_class, operands, attributes, location=self.location(raised))
            results: Sequence[Value] = operation.results
            return results

    def create_upstream(
        self,
        name: str,
        operands: Sequence[Value],
        results: Sequence[Type],
        attributes: dict[str, Any] | None = None,
    ) -> list[Value]:
        """Record an op of an upstream dialect; returns its results."""
        self._require_recording()
        with context(), ir.InsertionPoint(self.region.block):
            operation = operation_of(name, operands, results, location=self.location(), **attributes or {})
            return list(operation.results)

    def type_of(self, value: Value) -> TensorType:
        """The type of an array's SSA value."""
        with context():
            found = type_from_mlir(value.type)
        if isinstance(found, RefType):
            raise WeftTypeError(f"{found} is not an array")
        return found

    def raise_if(
        self,
        condition: Value,
        error: str,
        message: str,
        *values: Value,
        raised: TracebackType | None = None,
    ) -> None:
        """Record that the call, or the body of a `try`, ends with a Python exception where the condition holds.

        A number that compiled code does not have ends the call: no handler of the program's is for that.
        """
        self.checks += 1
        if self.catcher is not None and error != PythonNumberError.__name__:
            self.catcher.raise_if(condition, error, message, *values)
            return
        self.has_effects = True
        self.create(RaiseIf, [condition, *values], {"error": error, "message": message}, raised)

    def host_call(
        self,
        callback: Callback,
        operands: Sequence[Value],
        results: Sequence[TensorType] = (),
        raised: TracebackType | None = None,
    ) -> list[Value]:
        """Record a call of Python when the program runs; it gets copies of the operands and returns the results.

        `raised` is the traceback of an exception that it stands for, as for `location`.
        """
        self.has_effects = True
        native = native_of(callback)
        if native is None:
            self.checks += 1
            if self.catcher is not None:
                return self.catcher.host_call(callback, operands, results)
        self.callbacks.append(callback)
        number = len(self.callbacks) - 1
        with context(), ir.InsertionPoint(self.region.block):
            name, location = name_of(callback), self.location(raised)
            call = create_host_call(self.module.body, number, operands, results, name, location, native)
        return list(call.results)

    def make_cell(self, storage: Storage) -> None:
        """Turn a storage into a mutable cell at the place where its value was defined."""
        if storage.ref is not None:
            return
        self.cells.append(storage)
        self.has_effects = self.has_effects or storage.argument is not None
        with context():
            if storage.argument is not None:
                argument = self.block.arguments[storage.argument]
                storage.ref = self._argument_cell(argument, storage)
                storage.version += (
                    1  # what was read of it before is remembered as the parameter, now the cell
                )
                return
            value = storage.value
            ref_type = type_to_mlir(RefType(storage.type))
            if isinstance(value, ir.BlockArgument):
                anchor, location = ir.InsertionPoint.at_block_begin(value.owner), value.location
            else:
                anchor, location = ir.InsertionPoint.after(value.owner), value.owner.location
            with anchor:
                storage.ref = value_of(AllocRef.mlir_name(), [value], ref_type, location=location)

    def _argument_cell(self, argument: Value, storage: Storage) -> Value:
        """Make a function argument a cell; what was read of it so far reads the cell at function entry."""
        users = bool(list(argument.uses))
        argument.set_type(type_to_mlir(RefType(storage.type)))
        if users:
            with ir.InsertionPoint.at_block_begin(self.block):
                read = operation_of(
                    ReadRef.mlir_name(),
                    [argument],
                    [type_to_mlir(storage.type)],
                    location=ir.Location.unknown(),
                )
            argument.replace_all_uses_except(read.results[0], read)
        return argument

    # Arrays from outside

    def capture(self, array: Any) -> Value:
        """The SSA value of an array that is not an argument: a constant when small, else a hidden argument.

        A small one that the function has changed since it was captured is captured once more.
        """
        known_input = None if self.python_state is None else self.python_state.data_of(array)
        if isinstance(known_input, TracedArray):
            return known_input._value()
        known = self._captured.get(id(array))
        if known is not None and known.holds():
            return known.value
        require_plain("an array that the function uses", array)
        tensor_type = type_of(array)
        is_hidden = array.nbytes > CONSTANT_BYTES or isinstance(array, OnDevice)
        if is_hidden and self._root.block != self.block:
            raise UnsupportedError(
                f"a function that calls itself under a run-time condition uses a large array ({tensor_type}) from "
                "outside of the compiled function; pass it as an argument"
            )
        if is_hidden:
            with context():
                value = self.block.add_argument(type_to_mlir(tensor_type), self.location())
        else:
            elements = np.array(array, dtype=tensor_type.dtype, order="C")
            with context(), ir.InsertionPoint.at_block_begin(self._root.block):
                constant = create(Constant, [], {"value": elements}, location=self.location())
            self._root.hoist(constant)
            value = constant.results[0]
        capture = Capture.of(array, value, self.name, is_hidden, None if is_hidden else self._place_of(array))
        self.captures.append(capture)
        if is_hidden:
            self.extra.append(capture)
        self._captured[id(array)] = capture
        return value

    def watch(self, array: np.ndarray[Any, Any]) -> None:
        """Take note that what is recorded depends on the elements that an array from outside has now."""
        known = self._watched.get(id(array), self._captured.get(id(array)))
        if (known is not None and known.content is not None and known.holds()) or is_constant(array):
            return
        if isinstance(array.base, np.ndarray):
            self.dependencies.refuse("a view of an array from outside, whose elements were looked at")
        self._watched[id(array)] = capture = Capture.of(array, None, self.name, False, self._place_of(array))
        self.captures.append(capture)

    def _place_of(self, array: Any) -> Handle | None:
        """Where an array from outside was found."""
        return None if self.python_state is None else self.python_state.place_of(array)

    def add_input(self, tensor_type: TensorType, array: np.ndarray[Any, Any] | None) -> TracedArray:
        """A further argument of the function: an array, which can be written, or a scalar, like something computed."""
        with context():
            value = self.block.add_argument(type_to_mlir(tensor_type), self.location())
        position = len(list(self.block.arguments)) - 1
        storage = Storage(self, value, tensor_type, None if array is None else position)
        storage.section = Section(self.entry)  # a parameter stays, whatever is erased
        if array is not None:
            storage.layout = layout_of(array, frozenset([position]))
            self.matrices |= {position} if array.ndim > 1 else set()
        return TracedArray(storage)

    def is_constant(self, array: np.ndarray[Any, Any]) -> bool:
        """Whether an array from outside was compiled in."""
        return id(array) in self._captured

    @contextmanager
    def own_captures(self) -> Iterator[None]:
        """Capture arrays anew: the constants of one function are not visible in another."""
        saved, self._captured = self._captured, {}
        try:
            yield
        finally:
            self._captured = saved

    @property
    def _root(self) -> Region:
        """The block of the function that is being recorded."""
        region = self.region
        while region.parent is not None:
            region = region.parent
        return region

    def fresh_symbol(self, name: str) -> str:
        """A name for another function of the module."""
        self._symbols += 1
        return f"{symbol_name(name)}.{self._symbols}"

    def _settle_captures(self) -> None:
        """Tell what the traced function made or changed itself from what others may change before a later call."""
        for capture in self.extra:
            if isinstance(capture, Capture) and not capture.is_untouched():
                raise UnsupportedError(
                    f"{self.name} uses a NumPy array ({type_of(capture.array)}) in a compiled operation and changes "
                    "it in Python while it is traced: the compiled code could see its last state only; make it "
                    "with weft (weft.zeros, weft.asarray(array, copy=True)), or use a copy of it"
                )
        self.captures = [capture for capture in self.captures if capture.is_untouched()]

    # The end

    def _require_kept_unwritten(self) -> None:
        """Refuse lists that grow whose items are written afterwards: they hold copies, where Python has the arrays."""
        for storage, since, _ in self.kept:
            if storage.written_at > since:
                raise UnsupportedError(
                    f"an array ({storage.type}, made at {storage.made_at or 'the entry'}) is put into a list that "
                    "grows in a staged loop and is written to afterwards, which the list would not see; append a copy: "
                    "items.append(array.copy())"
                )

    def _name_what_is_extra(self) -> None:
        """Let what the function gets behind its arguments bear the words of the program for it, as those do."""
        for value, extra in zip(list(self.block.arguments)[len(self.arguments) :], self.extra, strict=True):
            if extra.handle is not None:
                name = extra.handle.name.removeprefix("global ").removesuffix("._array")
                value.set_location(ir.Location.name(name, value.location))

    def finish(self, results: Sequence[Value]) -> None:
        """Return the results and fix the function's type; nothing can be recorded afterwards."""
        self._require_kept_unwritten()
        self._settle_captures()
        with context(), ir.InsertionPoint(self.block), ir.Location.unknown():
            self._name_what_is_extra()
            _func.ReturnOp(list(results))
            inputs = [argument.type for argument in self.block.arguments]
            function_type = ir.FunctionType.get(inputs, [value.type for value in results])
            self.function.attributes["function_type"] = ir.TypeAttr.get(function_type)
        self.active = False

    def _require_recording(self) -> None:
        """Refuse to record what is asked of a traced array that the function has left somewhere."""
        if not self.active:
            raise LeakedArrayError(
                f"a traced array of {self.name} is used after the tracing of {self.name} has ended; it was kept in a "
                "variable, list or attribute outside the function. Return it from the function instead"
            )

    def require_active(self, storage: Storage, shown: TensorType) -> None:
        """Raise `LeakedArrayError` when an array, of the type shown, is used after its trace or region has ended."""
        region, made_at = storage.region, storage.made_at
        if not self.active:
            raise LeakedArrayError(
                f"a traced array ({shown}) of {self.name} is used after the tracing of {self.name} has ended; it "
                f"was made at {made_at or 'an unknown place'} and kept in a variable, list or attribute outside the "
                "function. Return it from the function instead"
                + ("" if made_at is None else "\n" + caret_snippet(made_at))
            )
        if self.set_aside:
            raise WeftValueError(
                f"a traced array ({shown}) of {self.name}, made at {made_at or 'an unknown place'}, is used inside of "
                "weft.init_scope(), where nothing is recorded: compute in that block with what is known before the "
                "function runs, and use the array behind it"
            )
        if not region.is_open and any(id(region) in regions for regions in self.suspended):
            raise CapturedArray(storage)
        if not storage.section.is_usable:
            raise LeakedArrayError(
                f"a traced array ({shown}) is used after the branch or loop that made it, at "
                f"{made_at or 'an unknown place'}, has ended; it was kept where compiled code cannot follow it (an "
                "iterator, a set, an object of a library). Keep it in a variable, a list, a dict or an attribute"
            )

    # Places

    def user_location(self) -> SourceRange | None:
        """The innermost place in the user's program, or None outside of it."""
        return place_of_user(innermost=True)

    def place_chain(self) -> tuple[SourceRange, ...]:
        """The place in the user's program with those of the calls that led there, innermost first."""
        places = []
        here = callers(self._callers)
        while here is not None:
            places.append(here.place)
            here = here.caller()
        return tuple(places)

    def enter_recording(self) -> Caller | None:
        """Remember where the branch, loop or call is that will be recorded; returns what was remembered before."""
        around, self._callers = self._callers, callers(self._callers)
        return around

    def leave_recording(self, around: Caller | None) -> None:
        """Go back to what was remembered before."""
        self._callers = around

    def location(self, raised: TracebackType | None = None) -> Location:
        """The MLIR location of the user's place, with the chain of calls that led to it.

        With the traceback of an exception that was just caught, that of the place where it was raised.
        """
        if raised is None:
            here = callers(self._callers)
            self.place = None if here is None else here.place
            # The frames that are left are the caller's, which is no part of the program.
            return self.function.operation.location if self.has_returned else _location_of_call(here)
        places = list(map(_location_of, user_places(raised)))
        if len(places) > 1:
            return ir.Location.callsite(places[0], places[1:], context())
        return places[0] if places else ir.Location.unknown(context())


def _location_of_call(call: Caller | None) -> Location:
    """The location of a call with those around it; what is known of these is used again."""
    if call is None:
        return ir.Location.unknown(context())
    calls: list[Caller] = []
    outer: Caller | None = call
    while outer is not None and outer.location is None:
        calls.append(outer)
        outer = outer.caller()
    around = None if outer is None else outer.location
    for inner in reversed(calls):
        here = _location_of(inner.place)
        around = inner.location = here if around is None else ir.Location.callsite(here, [around], context())
    return around


def _location_of(place: SourceRange) -> Location:
    key = (place.file, place.line, place.column)
    found = _locations.get(key)
    if found is None:
        found = _locations[key] = ir.Location.file(place.file, place.line, place.column, context())
        remember(place)
    return found


_locations: dict[tuple[str, int, int], Location] = {}
