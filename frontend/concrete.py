"""One specialisation of a function: traced, optimised and compiled for one signature."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..backend.cpu.machine.compiler import compile_module
from ..backend.cpu.machine.executable import RuntimeFailure
from ..dialect.errors import TraceRecursionError, WeftTypeError, WeftValueError
from ..dialect.mlir import ir
from ..dialect.register import context
from ..dialect.types import TensorType
from .array import USE_WEFT_ARRAYS
from .autograph.operators.diverging import Diverged, record_raise, refuses
from .autograph.operators.latest import latest_within
from .compilation import STAGES, optimize, stage_text, to_linalg
from .diagnostics import explain, python_exception
from .guards import Guard
from .handles import Bound, running
from .inputs import Decisions, Input
from .outcomes import (
    ArgumentResult,
    ChosenResult,
    ComputedResult,
    OptionalResult,
    Outputs,
    Result,
    ThawedResult,
    view_type,
)
from .outside import Outside, copies_in
from .runtime_values import holds_traced
from .settings import settings
from .signature import (
    Structure,
    alias_pattern,
    check_fits,
    describe,
    signature_of,
    unflatten,
    without_objects,
)
from .staging import set_current_trace, type_of_operand
from .trace import Capture, Trace
from .write_back import WriteBack


class ConcreteFunction:
    """A compiled function of one signature; call it with arrays that fit, or look at any of its stages.

    Made by `weft.function(f).get_concrete_function(...)`.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        convert: Callable[[], Callable[..., Any]],
        name: str,
        structure: Structure,
        leaves: Sequence[Any],
        types: Sequence[TensorType],
        names: Sequence[str],
        aliases: tuple[int, ...],
        scalars: frozenset[int],
        bind: Callable[[Any, Any], tuple[list[Any], list[str], Structure, Bound]],
        decisions: Decisions | None = None,
    ) -> None:
        self.name = name
        self._bind = bind
        self.argument_structure = without_objects(structure)
        self.argument_types = tuple(types)
        self.argument_names = tuple(names)
        self._aliases = aliases
        """For every array argument the first argument that is the same array."""
        self._scalars = scalars
        """The array arguments that are NumPy scalars, which cannot be written."""
        self._distinct = tuple(i for i, first in enumerate(aliases) if i == first)
        trace = _record(function, convert, self, structure, leaves, decisions or Decisions())
        with context(), ir.Location.unknown():
            self._traced = trace.module.operation.clone()
            optimize(trace.module)
            self._written = _written_arguments(trace.module, trace.symbol, self._position_of)
            to_linalg(trace.module)
            self._executable = compile_module(
                trace.module,
                trace.symbol,
                result_dtypes=[t.dtype for t in self._computed_types],
                callbacks=trace.callbacks,
                verify=settings.verify,
            )
        outside = trace.outside
        assert outside is not None, "recording made it"
        self._extra: list[Capture | Input] = list(trace.extra)
        self.has_inputs = bool(outside.inputs)
        """Whether the trace made data of what is not among the arguments."""
        self._shared = outside.shared
        self._stores_early = outside.stores_early
        self._captures = trace.captures
        self._outside = [capture.array for capture in trace.captures]
        self.guards: list[Capture | Guard] = [
            *trace.captures,
            *(guard for guard in outside.guards if not guard.is_gone()),
        ]
        self._sources = tuple(map(self._position_of, range(len(self._distinct) + len(self._extra))))
        self._names = [*names, *(extra.name for extra in self._extra)]
        self._is_direct = len(self._distinct) == len(aliases)
        outside.forget()
        self._objects = len(set(self._distinct)) + len(self._extra)

    def _position_of(self, argument: int) -> int:
        """Where an argument of the trace is among the arrays of a call: the caller's, then the extra ones."""
        distinct = self._distinct
        return (
            distinct[argument] if argument < len(distinct) else len(self._aliases) + argument - len(distinct)
        )

    _result: Result
    _computed_types: list[TensorType]
    write_back: WriteBack

    # Looking at it

    def as_text(self, stage: str = "optimized") -> str:
        """The program at a stage: weft, optimized, linalg, kernels, buffers, llvm-dialect, llvm or asm."""
        if stage not in STAGES:
            raise WeftValueError(f"there is no stage {stage!r}; the stages are: {', '.join(STAGES)}")
        return stage_text(self._traced, self._executable, stage)

    @property
    def result_types(self) -> str:
        """The results as nested types, for people."""
        return describe(self._result.structure, [self._type_of(leaf) for leaf in self._result.leaves])

    def _type_of(self, leaf: Any) -> Any:
        if isinstance(leaf, ComputedResult):
            return self._computed_types[leaf.index]
        if isinstance(leaf, ArgumentResult):
            position = leaf.argument
            own = len(self.argument_types)
            base = self.argument_types[position] if position < own else self._extra[position - own].type
            return view_type(base, leaf.path)
        if isinstance(leaf, OptionalResult):
            inner = [self._type_of(part) for part in leaf.value.leaves]
            return f"{describe(leaf.value.structure, inner)} or None"
        if isinstance(leaf, ChosenResult):
            return " or ".join(map(repr, leaf.options))
        if isinstance(leaf, ThawedResult):
            return "a string"
        columns = [self._computed_types[column.index] for column, _ in leaf.columns]
        items = [column.with_shape(column.shape[1:]) for column in columns]
        return f"list of {describe(leaf.item, items)}"

    def pretty_printed_signature(self) -> str:
        """The signature on a few lines: arguments and results with their types."""
        return f"{self.name}{describe(self.argument_structure, self.argument_types)}\n  returns {self.result_types}"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.name}{describe(self.argument_structure, self.argument_types)}>"

    # Calling it

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call with arrays of the compiled types; other dtypes, ranks and Python values are refused."""
        leaves, names, structure, bound = self._bind(args, kwargs)
        if structure != self.argument_structure:
            raise WeftTypeError(
                f"{self!r} was called with other Python values or another structure: "
                f"{describe(structure, [type_of_operand(leaf) for leaf in leaves])}"
            )
        for name, leaf, wanted in zip(names, leaves, self.argument_types, strict=True):
            check_fits(name, wanted, type_of_operand(leaf))
        if alias_pattern(leaves) != self._aliases:
            raise WeftValueError(
                f"{self!r} was compiled for another pattern of equal arrays among its arguments"
            )
        admitted = self.admitted(leaves)
        if admitted is None:
            raise WeftValueError(
                f"{self.why_not(leaves)} since {self!r} was compiled; call the weft.function, which compiles again, or "
                "pass what changes as an argument"
            )
        return self.run(admitted, bound)

    def guards_hold(self) -> bool:
        """Whether what was found outside of the arguments is still what was compiled."""
        for guard in self.guards:  # noqa: SIM110  (this is run at each call)
            if not guard.holds():
                return False
        return True

    def admitted(self, leaves: Sequence[Any]) -> Sequence[Any] | None:
        """The arrays of a call: the flattened arguments, and what is fetched; None where a guard does not hold."""
        for guard in self.guards:
            if not guard.holds():
                return None
        if self._written and self._outside and any(a is leaf for a in self._outside for leaf in leaves):
            return None
        if not self._extra and not self._shared:
            return leaves
        fetched = [extra.fetch() for extra in self._extra]
        if any(array is None for array in fetched):
            return None
        if any(handle.get() is not leaves[position] for handle, position in self._shared):
            return None
        arrays = [*leaves, *fetched]
        return arrays if len(set(map(id, arrays))) == self._objects else None

    def failing(self) -> Any:
        """The guard or input that does not fit the present state; None where all do."""
        for guard in self.guards:
            if not guard.holds():
                return guard
        return next((extra for extra in self._extra if extra.fetch() is None), None)

    def why_not(self, leaves: Sequence[Any]) -> str:
        """Why a call is not admitted, in words."""
        failing = self.failing()
        return "other arrays are one" if failing is None else str(failing.changed())

    def run(self, leaves: Sequence[Any], bound: Bound = None) -> Any:
        """Run on the arrays that `admitted` gave, whose types are known to fit."""
        if self._written:
            self._require_separate(leaves)
        arrays = [_ready(leaf) for leaf in leaves]
        if not self._is_direct:
            arrays = [arrays[i] for i in self._sources]
        executable: Callable[..., Any] = self._executable
        if self._executable.calls_python and self._written:
            executable = functools.partial(
                executable, before_callback=lambda: self._store_back(leaves, arrays)
            )
        failure: RuntimeFailure | None = None
        if self._stores_early:
            previous, running.bound = running.bound, bound
        try:
            outputs = executable(*arrays)
        except RuntimeFailure as caught:
            failure = caught
        finally:
            if self._stores_early:
                running.bound = previous
            if self._written:
                self._store_back(leaves, arrays)
        if failure is not None:
            raise python_exception(failure)  # here, as it has no other context than the caller's
        result = self._result.build(outputs, leaves)
        if self.write_back:
            self.write_back.apply(outputs, leaves, bound)
        return result

    def _require_separate(self, leaves: Sequence[Any]) -> None:
        """Raise unless what is written can be written, and shares no memory with anything else."""
        for index in self._written:
            leaf = leaves[index]
            if not isinstance(leaf, np.ndarray) or not leaf.flags.writeable:
                raise WeftValueError(
                    f"assignment destination is read-only: {self.name} writes to its argument "
                    f"{self._names[index]!r}; pass a writable array (a copy)"
                )
            for other in self._sources:
                if other != index and _overlap(leaf, leaves[other]):
                    raise WeftValueError(
                        f"arguments {self._names[index]!r} and {self._names[other]!r} of "
                        f"{self.name} overlap in memory and the function writes to "
                        f"{self._names[index]!r}; pass a copy of one"
                    )
            if any(_overlap(leaf, array) for array in self._outside):
                raise WeftValueError(
                    f"argument {self._names[index]!r} of {self.name} overlaps in memory with an array that "
                    "the function uses from outside, and the function writes to it; pass a copy"
                )

    def _store_back(self, leaves: Sequence[Any], arrays: Sequence[np.ndarray[Any, Any]]) -> None:
        """Write what was computed in a contiguous copy back to the caller's strided array."""
        for position, index in enumerate(self._sources):
            if index in self._written and arrays[position] is not leaves[index]:
                leaves[index][...] = arrays[position]


def _ready(value: Any) -> np.ndarray[Any, Any]:
    """The array as compiled code takes it: C-contiguous, aligned, in native byte order; copied only if it is not."""
    if not isinstance(value, np.ndarray):
        return np.asarray(value)
    flags = value.flags
    if flags.c_contiguous and flags.aligned and value.dtype.isnative:
        return value
    return np.array(value, dtype=value.dtype.newbyteorder("="), order="C", copy=True)


_OVERLAP_WORK: Any = 1_000_000


def _overlap(written: np.ndarray[Any, Any], other: Any) -> bool:
    """Whether two arrays have an element in common; bounds are compared first, which decides almost always.

    For some strides the exact answer would take for ever: then they count as overlapping.
    """
    if not isinstance(other, np.ndarray) or not np.may_share_memory(written, other):
        return False
    try:
        return np.shares_memory(written, other, max_work=_OVERLAP_WORK)
    except np.exceptions.TooHardError:
        return True


def _written_arguments(module: Any, symbol: str, position_of: Callable[[int], int]) -> frozenset[int]:
    """The positions among the arrays of a call whose cells are still written after optimisation."""
    functions = [op for op in module.body.operations if op.operation.name == "func.func"]
    function = next(op for op in functions if op.name.value == symbol)
    entry = function.regions[0].blocks[0]
    return frozenset(
        position_of(i)
        for i in range(len(list(entry.arguments)))
        if not isinstance(entry.arguments[i].type, ir.RankedTensorType)
    )


def _record(
    function: Callable[..., Any],
    convert: Callable[[], Callable[..., Any]],
    concrete: ConcreteFunction,
    structure: Structure,
    leaves: Sequence[Any],
    decisions: Decisions,
) -> Trace:
    """Trace the user's function on traced arrays and note how its results are to be made."""
    types = [concrete.argument_types[i] for i in concrete._distinct]
    names = [concrete.argument_names[i] for i in concrete._distinct]
    position = {argument: place for place, argument in enumerate(concrete._distinct)}
    scalars = {position[argument] for argument in concrete._distinct if argument in concrete._scalars}
    trace = Trace(concrete.name, types, names, scalars)
    args, kwargs = unflatten(structure, lambda i: trace.arguments[position[concrete._aliases[i]]])
    known = [
        (leaf, trace.arguments[position[first]], first)
        for leaf, first in zip(leaves, concrete._aliases, strict=True)
        if isinstance(leaf, np.ndarray)
    ]
    bound = (args, kwargs)
    outside = trace.outside = Outside(
        trace, bound, copies_in(bound), known, _named(function, bound), decisions
    )
    previous = set_current_trace(trace)
    try:
        outside.meet_callable(function)
        outside.replace_numbers()
        traced = convert()
        if traced is function:
            outside.meet_plain(function)
        returned = latest_within(trace, _returned(trace, traced, args, kwargs))
        outputs = Outputs(trace, concrete._position_of)
        concrete._result = outputs.collect(returned)
        concrete.write_back = WriteBack(outside, outputs)
        concrete._computed_types = outputs.types
        outside.settle()
    except RecursionError as error:
        raised = TraceRecursionError(
            f"{concrete.name} recursed without end while it was traced: Python decides when to stop, so the "
            "condition must not depend on traced arrays; write a loop, or pass the depth as a Python int"
        ).with_traceback(error.__traceback__)
        explain(raised)
        raise raised from None
    except Exception as error:
        if isinstance(error.__cause__, WeftTypeError):
            # NumPy asked a traced array for its value and hides our answer behind a message of its own.
            error.__cause__.args = (f"{error} {error.__cause__}; {USE_WEFT_ARRAYS}",)
            explained = error.__cause__.with_traceback(error.__traceback__)
            explain(explained)
            raise explained from None
        explain(error)
        raise
    finally:
        decisions.has_data = bool(outside.inputs)
        outside.restore()
        set_current_trace(previous)
        trace.active = False
    trace.finish(outputs.values)
    return trace


def _named(function: Callable[..., Any], bound: Any) -> list[tuple[str, Any]]:
    """The arguments with the names of their parameters."""
    args, kwargs = bound
    parameters = signature_of(function).parameters
    return [*zip(parameters, args, strict=False), *kwargs.items()]


def _returned(trace: Trace, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """What the user's function returns; None where it always raises when it runs."""
    try:
        return _run_user_function(function, args, kwargs)
    except Diverged:
        return None
    except (Exception, SystemExit) as error:
        if refuses(error) or not (trace.has_effects or holds_traced(error, depth=3)):
            raise
        record_raise(trace, error)  # after what the call does before
        return None


def _run_user_function(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call the user's function; frames above this one belong to the caller (see `locations.TRACE_ENTRY`)."""
    return function(*args, **kwargs)
