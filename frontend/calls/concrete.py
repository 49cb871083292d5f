"""One specialisation of a function: compiled for one signature, called with arrays that fit."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from ...backend.cpu.dispatch.turns import turn
from ...backend.cpu.execution.executable import RuntimeFailure
from ...backend.executables import loaded
from ...backend.gpu.devices.on_device import OnDevice
from ...dialect.errors import PythonNumberError, WeftTypeError, WeftValueError
from ...passes.listening import listening
from ..compiling.program import CallSignature, Program
from ..guards.captures import Capture
from ..guards.guards import Guard
from ..guards.handles import Bound, running
from ..guards.inputs import Input
from ..guards.packed_inputs import PackedInput
from ..runtime_values.outside_traces import all_compute
from ..runtime_values.result_spec import ConstantResult
from ..signature.layout_keys import lies_as
from ..signature.signature import (
    Leaf,
    Static,
    TensorSpec,
    alias_pattern,
    check_fits,
    describe,
    packed_leaves,
    require_values,
    type_of_leaf,
    unflatten,
    with_objects,
    without_objects,
)
from ..signature.traced_value import ArrayHolder
from .concrete_signature import by_position, captured_of, other_value, spec_of, specs_of, with_fixed
from .device_calls import require_device, warn_of_host_kernels, warn_of_transfers
from .explained_specialisation import ExplainedSpecialisation
from .generator_locks import acquired, states_among
from .result_types import type_of_result
from .written_arguments import require_separate, writes_captured

if TYPE_CHECKING:
    from onnx import ModelProto

    from ..compiling.analysis import CostAnalysis, MemoryAnalysis
    from ..python_state.updates import Updates


class ConcreteFunction(ExplainedSpecialisation):
    """A compiled function of one signature; call it with arrays that fit, or look at any of its stages.

    Made by `weft.function(f).get_concrete_function(...)`.
    """

    def __init__(
        self,
        signature: CallSignature,
        program: Program,
        function: Any,
    ) -> None:
        self.name = signature.name
        self._function = function
        self.argument_structure = without_objects(signature.structure)
        self.argument_types = signature.types
        self.argument_names = signature.names
        self._aliases = signature.aliases
        self._scalars = signature.scalars
        self.numbers = signature.numbers
        """The arguments that are Python numbers, with their types."""
        self.compile_times = program.times
        """What the phases of its compilation took, in seconds: a mapping that prints as a table."""
        with program.times.recording():
            self._executable = loaded(program.code, program.callbacks, program.device, exception_of)
        self._device = program.device
        self._on_device = (
            program.device if signature.on_device or program.device != signature.device else None
        )
        self._warned: set[str] = set()
        """The arguments of which it was said that they are copied, and the places where the host does a part."""
        self._callbacks = program.callbacks
        self._recording = program.recording
        self.notes = list(program.notes)
        """What was decided before it became machine code."""
        self._result = program.result
        self._computed_types = program.computed_types
        self._extra: list[Capture | Input | PackedInput] = program.extra
        self.has_inputs = program.has_inputs
        """Whether the trace made data of what is not among the arguments."""
        self._written = program.written
        self._layouts = program.layouts
        self._shared = program.shared
        self._stores_early = program.stores_early
        self._write_back = program.write_back
        self.updates: Updates | None = getattr(program.write_back, "__self__", None)
        self.takes_turns = program.write_back is not None and not self._executable.calls_python
        """Whether it changes Python's state: not where Python that it calls may wait for another call."""
        self._captures = program.captures
        self._captured = [capture.array for capture in program.captures]
        self.guards: list[Capture | Guard] = [*program.captures, *program.guards]
        distinct = signature.distinct
        self._sources = tuple(map(signature.position_of, range(len(distinct) + len(self._extra))))
        self._states = states_among(signature.structure, len(signature.types), self._extra)
        self._names = [*signature.names, *(extra.name for extra in self._extra)]
        self._is_direct = len(distinct) == len(self._aliases)
        has_numbers = bool(signature.numbers) or any(packed_leaves(signature.structure))
        writes = self._written or self._states or self._stores_early or not all_compute(self._callbacks)
        self.may_run_again = has_numbers and not writes and self._lacks_numbers()
        """Whether a call may find that it needs the numbers among its arguments as constants, and has done nothing."""
        self.calls = 0
        """How many calls took the long way."""
        self.native_code: Any = None
        """What native code runs."""
        self._objects = len(distinct) + len(self._extra)

    def _lacks_numbers(self) -> bool:
        """Whether it, or a function of Python that it calls, may meet numbers of Python's that it cannot compute."""
        sites = (*self._executable.plan.sites, *self._callbacks)
        return any(getattr(site, "error", None) == PythonNumberError.__name__ for site in sites)

    # Looking at it

    def signature(self) -> CallSignature:
        """What it was compiled for. Raises `ReferenceError` where an object among the arguments is gone."""
        structure, numbers = with_objects(self.argument_structure), tuple(self.numbers.values())
        names, aliases = self.argument_names, self._aliases
        types = self.argument_types
        return CallSignature(
            self.name, structure, types, names, aliases, self._scalars, numbers, self._device
        )

    def as_text(self, stage: str = "optimized") -> str:
        """The program at a stage: weft, optimized, linalg, kernels, buffers, llvm-dialect, llvm or asm."""
        return self._recording().text(stage)

    def save_html(
        self,
        path: str | os.PathLike[str],
        *,
        stages: Sequence[str] | None = None,
        passes: bool = True,
        max_bytes: int | None = 4 << 20,
    ) -> int:
        """Write a page that shows every stage beside the Python lines, for a browser; returns its size in bytes.

        One file that needs no network: the lines of the program and of the functions that it calls, linked with what
        they became; what each pass changed; machine code with the width of its vectors, spills and the bytes of its
        loops; costs, memory and compile times. `stages` leaves out the other stages, `passes=False` the changes. Raises
        `ValueError` for a page of more than `max_bytes` (None: of any size), and `OSError` where it cannot be written.

        >>> import os, tempfile
        >>> import weft
        >>> halved = weft.function(lambda x: x / 2, name="halved")
        >>> path = os.path.join(tempfile.mkdtemp(), "halved.html")
        >>> size = halved.get_concrete_function(weft.TensorSpec((8,), "float32")).save_html(path)
        >>> size == os.path.getsize(path)
        True
        """
        room = __name__.partition(".calls")[0]  # what writes it stands on this
        module = importlib.import_module(f"{room}.pages.page")
        size: int = module.save_html(self, path, stages, passes, max_bytes)
        return size

    def export(self, directory: str, name: str | None = None, **options: Any) -> dict[str, str]:
        """Write it as a library for programs in C, under a name: `weft.export` with its options.

        >>> import tempfile
        >>> import weft
        >>> halved = weft.function(lambda x: x / 2, name="halved")
        >>> concrete = halved.get_concrete_function(weft.TensorSpec((None,), "float64"))
        >>> sorted(concrete.export(tempfile.mkdtemp(), kind="static"))
        ['cpp', 'header', 'manifest', 'rust', 'static']
        """
        package = importlib.import_module(__name__.partition(".frontend")[0])  # what exports stands on this
        written: dict[str, str] = package.export(directory, **{name or self.name: self}, **options)
        return written

    @overload
    def to_stablehlo(
        self, *, form: Literal["artifact"] = "artifact", version: str | None = None, checks: bool = True
    ) -> bytes: ...
    @overload
    def to_stablehlo(
        self, *, form: Literal["text"], version: str | None = None, checks: bool = True
    ) -> str: ...
    def to_stablehlo(
        self, *, form: str = "artifact", version: str | None = None, checks: bool = True
    ) -> bytes | str:
        """The function as a portable artifact of StableHLO, for JAX, XLA and IREE, or with `form="text"` as text.

        It takes the arrays of the arguments and returns those of the results, then the arguments that are written. What
        is found outside of the arguments is a constant of it. `version` is that of StableHLO to write for, as in
        "1.0.0"; by default one that readers of the last twelve weeks know. Without `checks`, errors that it may raise
        are left out: places outside of arrays are moved inside or skipped then. Raises `weft.NotPortable`, with all
        reasons and their lines, for what StableHLO cannot say.

        >>> import weft
        >>> halved = weft.function(lambda x: x / 2, name="halved")
        >>> concrete = halved.get_concrete_function(weft.TensorSpec((3,), "float32"))
        >>> concrete.to_stablehlo()[:4]
        b'ML\\xefR'
        >>> print(concrete.to_stablehlo(form="text"))
        module {
          func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
            %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
            %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
            %1 = stablehlo.multiply %arg0, %0 : tensor<3xf32>
            return %1 : tensor<3xf32>
          }
        }
        <BLANKLINE>
        """
        room = __name__.partition(".calls")[0]  # what writes it stands on this
        module = importlib.import_module(f"{room}.artifacts.to_stablehlo")
        written: bytes | str = module.to_stablehlo(self, form, version, checks)
        return written

    def to_onnx(self, *, opset: int | None = None, checks: bool = True) -> ModelProto:
        """The function as a model of ONNX (an `onnx.ModelProto`), for onnxruntime and others.

        Its inputs are the arrays of the arguments, its outputs those of the result, with their names; the keys of a
        dict that is returned are names of outputs. Extents that are not known are called after the argument and its
        axis. Arrays found outside of the arguments are initialisers. `opset` is the version of ONNX's ops, from 18 on,
        by default 20. Without `checks`, errors that it may raise are left out: places outside of arrays are moved
        inside or skipped then. `weft.onnx.save` writes it to a file. Needs the package onnx.

        Raises `weft.NotPortable`, with all reasons and their lines, for what ONNX cannot say.

        >>> import weft
        >>> halved = weft.function(lambda x: x / 2, name="halved")
        >>> model = halved.get_concrete_function(weft.TensorSpec((None, 3), "float32")).to_onnx()
        >>> [node.op_type for node in model.graph.node], [given.name for given in model.graph.input]
        (['Mul'], ['x'])
        """
        room = __name__.partition(".calls")[0]  # what writes it stands on this
        module = importlib.import_module(f"{room}.onnx.writing.saving")
        model: ModelProto = module.to_onnx(self, opset, checks)
        return model

    def cost_analysis(self, *args: Any, **kwargs: Any) -> CostAnalysis:
        """How much one call computes, reads and writes, kernel by kernel; printable.

        What types do not tell, sizes of arrays and integers that say how often loops run, is taken from the arguments,
        where some are given. They must fit as in a call, which is not made. Without, counts are formulas of sizes of
        the arguments. What is not known is told, not guessed.

        >>> import weft
        >>> double = weft.function(lambda x: x @ x + 1)
        >>> cost = double.get_concrete_function(weft.TensorSpec((8, 8), "float32")).cost_analysis()
        >>> cost.flops == 2 * 8**3 + 8**2
        True
        >>> cost.bytes_read, cost.bytes_written, cost.unknown
        (256, 256, ())
        >>> print(double.get_concrete_function(weft.TensorSpec((None, None), "float32")).cost_analysis().flops)
        2*x.shape[0]**2*x.shape[1] + x.shape[0]*x.shape[1]
        """
        from ...backend.analysis.requests import cost_request
        from ..compiling.analysis import calls_of_python, examples_of, read_cost

        plan, parameters = self._executable.plan, self._function._parameters
        has_examples = bool(args or kwargs)
        arrays = self._arrays_of(parameters.bind(args, kwargs).leaves) if has_examples else None
        called = calls_of_python(plan.sites, self._callbacks)
        examples = examples_of(plan, self.names_of_arrays(), arrays)
        return read_cost(self.as_text(cost_request(plan.name, examples)), called)

    def names_of_arrays(self) -> list[str]:
        """What the arrays of the compiled function are called in formulas of their sizes."""
        return [self._names[index].split()[-1] for index in self._sources]

    def memory_analysis(self) -> MemoryAnalysis:
        """How much memory a call needs and where its intermediates are, with their lifetimes; printable.

        >>> import weft
        >>> power = weft.function(lambda x: x @ x @ x @ x)
        >>> memory = power.get_concrete_function(weft.TensorSpec((64, 64), "float32")).memory_analysis()
        >>> memory.argument_bytes, memory.result_bytes, memory.workspace_bytes, memory.peak_bytes
        (16384, 16384, 16384, 49152)
        >>> [buffer.where for buffer in memory.buffers]
        ['result 0', 'workspace']
        """
        from ...backend.analysis.requests import memory_request
        from ..compiling.analysis import read_memory

        return read_memory(self.as_text(memory_request(self._executable.plan.name)))

    def _arrays_of(self, leaves: Sequence[Any]) -> list[Any]:
        """The arrays of the compiled function's arguments in a call with these leaves."""
        arrays = [*leaves, *(extra.fetch() for extra in self._extra)]
        return [arrays[index] for index in self._sources]

    @property
    def result_types(self) -> str:
        """The results as nested types, for people."""
        return describe(self._result.structure, [self._type_of(leaf) for leaf in self._result.leaves])

    def _type_of(self, leaf: Any) -> Any:
        arguments = [*self.argument_types, *(extra.type for extra in self._extra)]
        return type_of_result(leaf, self._computed_types, arguments)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What it takes, by position and by name: a `TensorSpec` for each array, named as the argument, and constants.

        >>> import weft
        >>> power = weft.function(lambda x, n: x**n, name="power")
        >>> power.get_concrete_function(weft.TensorSpec([None], "float32"), 2).structured_input_signature
        ((TensorSpec(shape=(None,), dtype=float32, name='x'), 2), {})
        """
        types, names = self.argument_types, self.argument_names
        args, kwargs = specs_of(self.argument_structure, lambda place: spec_of(types[place], names[place]))
        return args, kwargs

    @property
    def structured_outputs(self) -> Any:
        """What it returns: a `TensorSpec` for each array, and constants; what has no one type is told in words.

        >>> import weft
        >>> both = weft.function(lambda x: {"sum": x.sum(), "twice": [x * 2, None]})
        >>> both.get_concrete_function(weft.TensorSpec([3], "float32")).structured_outputs
        {'sum': TensorSpec(shape=(), dtype=float32), 'twice': [TensorSpec(shape=(3,), dtype=float32), None]}
        """
        leaves = self._result.leaves

        def spec(place: int) -> Any:
            leaf = leaves[place]
            return leaf.value if isinstance(leaf, ConstantResult) else spec_of(self._type_of(leaf))

        return specs_of(self._result.structure, spec)

    @property
    def captured(self) -> dict[str, Any]:
        """What it reads or writes outside of its arguments, by the names there: arrays, and variables.

        >>> import weft
        >>> weights = weft.Variable([1.0, 2.0])
        >>> concrete = weft.function(lambda x: x @ weights).get_concrete_function(weft.TensorSpec([2]))
        >>> concrete.captured, concrete.variables
        ({'weights': Variable(array([1., 2.]))}, (Variable(array([1., 2.])),))
        """
        return captured_of(self._extra, self.guards)

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables among what is `captured`, each once."""
        found = {id(held): held for held in self.captured.values() if isinstance(held, ArrayHolder)}
        return tuple(found.values())

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of the `variables` that are to be trained."""
        return tuple(variable for variable in self.variables if variable.trainable)

    def pretty_printed_signature(self) -> str:
        """The signature on a few lines: arguments by their names, and results, with their types.

        >>> import weft
        >>> scaled = weft.function(lambda x, factor=2: x * factor, name="scaled")
        >>> print(scaled.get_concrete_function(weft.TensorSpec((None,), "float32")).pretty_printed_signature())
        scaled(x: f32[?], factor=2)
          returns f32[?]
        """
        return f"{self.name}({', '.join(self._parameter_texts())})\n  returns {self.result_types}"

    def _parameter_texts(self) -> Iterator[str]:
        """The arguments with their names: `x: f32[3]`, `mode='a'`."""
        positional, keywords = self.argument_structure.children  # type: ignore[union-attr]
        name_of = self._function._parameters.name_of
        names = [
            self.argument_names[entry.index] if isinstance(entry, Leaf) else name_of(place)
            for place, entry in enumerate(positional.children)
        ]
        entries = [*positional.children, *keywords.children]
        for name, entry in zip([*names, *keywords.keys], entries, strict=True):
            text = describe(entry, self.argument_types)
            yield f"{name}={text}" if isinstance(entry, Static) else f"{name}: {text}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Its function and its signature: it is compiled, or loaded, where it is brought to."""
        has_numbers = self.numbers or any(packed_leaves(self.argument_structure))
        if has_numbers or self._on_device:
            what = "Python numbers that are data" if has_numbers else "a device"
            raise WeftTypeError(f"{self!r} is for {what}, and cannot be pickled; pickle the weft.function")
        leaves: list[Any] = []
        for position, (type, first) in enumerate(zip(self.argument_types, self._aliases, strict=True)):
            example: Any = TensorSpec(type.shape, type.dtype)
            if position in self._scalars:
                example = np.zeros((), type.dtype)[()]
            leaves.append(example if first == position else leaves[first])
        args, kwargs = unflatten(with_objects(self.argument_structure), leaves.__getitem__)
        return _again, (self._function, args, kwargs)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.name}({', '.join(self._parameter_texts())})>"

    # Calling it

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call with arrays of the compiled types; other dtypes, ranks and Python values are refused.

        Python's values that were fixed by tracing may be left out, and so may objects, as that of a method. An array
        may be called by the name of its `TensorSpec`, too.
        """
        parameters = self._function._parameters
        wanted: Any = self.argument_structure
        args, kwargs = by_position(args, kwargs, wanted, self.argument_names)
        args, kwargs = with_fixed(args, kwargs, parameters.all, wanted)
        structure, leaves, names, bound, _ = parameters.bind(args, kwargs)
        require_values(self.name, leaves, names)
        if structure != wanted:
            other = other_value(structure, wanted, parameters.name_of)
            if other is not None:
                raise WeftTypeError(
                    f"argument {other[0]!r} of {self!r} is {other[1]}, as tracing has fixed it, but {other[2]} was "
                    "given: leave it out, or call the weft.function"
                )
            raise WeftTypeError(
                f"{self!r} was called with other Python values or another structure: "
                f"{describe(structure, list(map(type_of_leaf, leaves)))}"
            )
        for name, leaf, wanted in zip(names, leaves, self.argument_types, strict=True):
            check_fits(name, wanted, type_of_leaf(leaf))
        require_device(self, self._device, leaves, names)
        if alias_pattern(leaves) != self._aliases:
            raise WeftValueError(
                f"{self!r} was compiled for another pattern of equal arrays among its arguments"
            )
        with turn() if self.takes_turns else contextlib.nullcontext():
            admitted = self.admitted(leaves)
            if admitted is not None:
                return self.run(admitted, bound)
            raise WeftValueError(
                f"{self.why_not(leaves)} since {self!r} was compiled; call the weft.function, which compiles again, or "
                "pass what changes as an argument"
            )

    def admitted(self, leaves: Sequence[Any]) -> Sequence[Any] | None:
        """The arrays of a call: the flattened arguments, and what is fetched; None where a guard does not hold."""
        for guard in self.guards:
            if not guard.holds():
                return None
        if self._captured and writes_captured(self._written, self._captured, leaves):
            return None
        if not self._extra and not self._shared:
            return leaves if self._lie_as_compiled(leaves) else None
        fetched = [extra.fetch() for extra in self._extra]
        if any(array is None for array in fetched):
            return None
        if any(handle.get() is not leaves[position] for handle, position in self._shared):
            return None
        arrays = [*leaves, *fetched]
        if not self._lie_as_compiled(arrays):
            return None
        return arrays if len(set(alias_pattern(arrays))) == self._objects else None

    def _lie_as_compiled(self, arrays: Sequence[Any]) -> bool:
        """Whether the arrays of a call lie in memory as the trace found them, where it depends on that."""
        for position, key in self._layouts:  # noqa: SIM110  (this is run at each call)
            if not lies_as(key, arrays[position]):
                return False
        return True

    def failing(self) -> Any:
        """The guard or input that does not fit the present state; None where all do."""
        for guard in self.guards:
            if not guard.holds():
                return guard
        return next((extra for extra in self._extra if extra.fetch() is None), None)

    def why_not(self, leaves: Sequence[Any]) -> str:
        """Why a call is not admitted, in words."""
        failing = self.failing()
        if failing is not None:
            return str(failing.changed())
        arrays = [*leaves, *(extra.fetch() for extra in self._extra)]
        for position, key in self._layouts:
            if not lies_as(key, arrays[position]):
                return (
                    f"{self._names[position]} lies in memory in another way, which decides in NumPy what is a view "
                    "of it here and what a copy"
                )
        return "other arrays are one"

    def run(self, leaves: Sequence[Any], bound: Bound | None = None) -> Any:
        """Run on the arrays that `admitted` gave, whose types are known to fit."""
        self._require_apart(leaves, bound)
        with_found = self._result.with_found(leaves, bound)
        arrays = [_ready(leaf) for leaf in leaves]
        if self._on_device:
            warn_of_transfers(self.name, self._on_device, self._names, arrays, self._warned)
        if not self._is_direct:
            arrays = [arrays[i] for i in self._sources]
        listener = listening.listener
        executable: Callable[..., Any] = (
            self._executable if listener is None else listener.executable_of(self)
        )
        if self._executable.calls_python and self._written:
            executable = functools.partial(
                executable, before_callback=lambda: self._store_back(leaves, arrays)
            )
        failure: RuntimeFailure | None = None
        if self._stores_early:
            previous, running.bound = running.bound, bound
        states = [leaves[position] for position in self._states]
        locks = acquired(states, self._executable.calls_python) if states else ()
        try:
            outputs = executable(*arrays)
        except RuntimeFailure as caught:
            failure = caught.with_traceback(None)  # which leads to this frame, and so to itself
        finally:
            if self._stores_early:
                running.bound = previous
            if self._written:
                self._store_back(leaves, arrays)
            for lock in locks:
                lock.release()
        if failure is not None:
            raise exception_of(failure)  # here, as it has no other context than the caller's
        outputs = self._result.with_places(outputs)
        result = self._result.build(outputs, with_found)
        if self._write_back is not None:
            self._write_back(outputs, leaves, bound)
        # At the end: what a warning that is an error leaves behind is complete.
        warn_of_host_kernels(self.name, self._device, self._executable, self._warned)
        return result

    def _require_apart(self, leaves: Sequence[Any], bound: Bound | None) -> None:
        """Raise, before a call does anything, unless what it changes is found in one way only."""
        if self._written:
            require_separate(self.name, self._names, self._written, self._sources, self._captured, leaves)
        if self.updates is not None:
            self.updates.require_apart(bound)

    def _store_back(self, leaves: Sequence[Any], arrays: Sequence[np.ndarray[Any, Any]]) -> None:
        """Write what was computed in a contiguous copy back to the caller's strided array."""
        for position, index in enumerate(self._sources):
            if index in self._written and arrays[position] is not leaves[index]:
                leaves[index][...] = arrays[position]


def _again(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The concrete function of a function for such arguments."""
    return function._concrete_function_of(args, kwargs)


def exception_of(failure: RuntimeFailure) -> BaseException:
    from ..compiling.diagnostics import python_exception  # what explains errors takes long to import

    return python_exception(failure)


def _ready(value: Any) -> Any:
    """The array as compiled code takes it: C-contiguous, aligned, in native byte order; copied only if it is not."""
    if not isinstance(value, np.ndarray):
        return value.contiguous() if isinstance(value, OnDevice) else np.asarray(value)
    flags = value.flags
    if flags.c_contiguous and flags.aligned and value.dtype.isnative:
        return value
    from ...backend.cpu.dispatch.copying import contiguous  # most arrays need no copy

    return contiguous(value)
