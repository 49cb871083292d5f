"""`weft.function`: the decorator, its cache of specialisations, and the switches that turn compiling off."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Concatenate,
    Generic,
    ParamSpec,
    TypeVar,
    cast,
    overload,
)

import numpy as np

from ..backend.cpu.dispatch.objects import FastCallable, is_supported, mark_callable
from ..backend.cpu.dispatch.turns import turn
from ..backend.gpu.devices.names import CPU
from ..backend.gpu.devices.targets import target_of
from ..dialect.errors import PythonNumberError
from ..dialect.held_interrupts import interrupts_held
from ..dialect.imports import uncollected, uncollected_once
from .calls.argument_numbers import ArgumentNumbers, CallNumbers
from .calls.argument_sizes import ArgumentSizes
from .calls.by_value import Portable
from .calls.callables import AnswersMisnaming, name_of, require_function
from .calls.compile_lock import COMPILE_LOCK
from .calls.device_calls import device_of_call, places_on_device
from .calls.eager_calls import is_eager, is_remembered
from .calls.explaining import Explained, told
from .calls.fed_arguments import FedArguments
from .calls.known_specialisations import CacheInfo, KnownSpecialisations
from .calls.lazy_arguments import call_of, concrete_of
from .calls.options import refuse_options, require_options
from .calls.parameters import Arguments, Parameters
from .calls.retracing import Compilation, Retracing
from .calls.shipped_code import with_entries
from .compiling.program import CallSignature, Program, Recording
from .guards.inputs import Decisions
from .guards.unbound import UNBOUND
from .settings import settings
from .signature.input_signature import (
    checked_input_signature,
    names_by_specs,
    of_input_signature,
)
from .signature.signature import (
    TensorSpec,
    alias_pattern,
    require_values,
    type_of_leaf,
    with_own_specs,
)
from .signature.traced_value import TracedValue
from .tracing.current import current_trace

if TYPE_CHECKING:
    from ..backend.cpu.dispatch.entries import Dispatch
    from .calls.concrete import ConcreteFunction
    from .calls.specialisations import Fitting
    from .disk_cache.functions import CachedFunction
    from .guards.dependencies import Dependencies

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
C = TypeVar("C")

_TRIES = 20
"""How often a call is compiled anew because another thread changed what it relies on."""

_DESCRIBED_FROM = 2
"""The first call of what was compiled that is described to native code."""


class Function(FastCallable, Portable, Explained, AnswersMisnaming, Generic[P, R]):
    """A Python function that runs as machine code, compiled once for each signature of its arguments.

    Arrays and NumPy scalars are data: their dtype and shape are the signature. Everything else (strings, bools, None,
    objects) is a constant of the compiled code, and another value compiles again. Python numbers are constants at
    first; one that comes with another value is data from then on, unless tracing needs its value. Made by
    `weft.function`. A call raises what the Python function raises, `TypeError` for arguments that it does not take and
    for dtypes that weft does not have, and `UnsupportedError` for what compiled code cannot do.

    >>> increased = weft.function(lambda x: x + 1)
    >>> increased(np.array([1, 2])), increased.trace_count
    (array([2, 3]), 1)
    """

    __slots__ = ("__dict__", "__weakref__", "_native")
    _warns_of_retracing: ClassVar[bool] = True
    _native: Dispatch
    """What native code knows; there is none before the first call that comes again."""
    __name__: str
    __qualname__: str
    __wrapped__: Callable[P, R]
    python_function: Callable[P, R]

    def __init__(
        self,
        python_function: Callable[P, R],
        input_signature: Sequence[Any] | None = None,
        name: str | None = None,
        autograph: bool = True,
        strict: bool = False,
        target: str | None = None,
        device: str | None = None,
        max_specialisations: int | None = None,
    ) -> None:
        require_function(python_function)
        require_options(target, device, max_specialisations)
        self.python_function = python_function
        self._source: Callable[..., Any] = python_function
        """What is compiled; kept, as guards ask whether it is the same."""
        self.autograph = autograph
        self.strict = strict
        self.target = target
        self.device = device
        self.name = name or name_of(python_function)
        self.input_signature = (
            None if input_signature is None else checked_input_signature(input_signature, self.name)
        )
        self._parameters = Parameters(python_function, self.name, self.input_signature)
        self.max_specialisations = max_specialisations
        self._known = KnownSpecialisations(max_specialisations)
        self._numbers = ArgumentNumbers(self._parameters.name_of)
        self._sizes = ArgumentSizes()
        self._feeds = FedArguments(self._known)
        self._native_calls = 0  # of which `_retracing` knows
        self._retracing = Retracing()
        functools.update_wrapper(self, python_function, updated=())
        self._own_attributes = self.attributes_now()

    @property
    def trace_count(self) -> int:
        """How often the Python function was traced: once for each signature, and again where guards failed."""
        return self._known.traces

    def __set_name__(self, owner: type, name: str) -> None:
        self._parameters.note_method()

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Function[P, R]: ...
    @overload
    def __get__(
        self: Function[Concatenate[C, Q], R], instance: C, owner: type | None = None
    ) -> BoundFunction[Q, R]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bind as a method: the instance is an argument whose identity is part of the signature."""
        if instance is None:
            return self
        bound: BoundFunction[..., R] = BoundFunction(self, instance)
        bound._look()
        return bound

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the compiled function, compiling it first if the signature is new."""
        if is_eager() or sys.is_finalizing():
            return self.python_function(*args, **kwargs)
        try:
            if (call := call_of(args, kwargs)) is not None:
                return cast(R, call(self, args, kwargs))  # of lazy arrays
            given = self._parameters.bind(args, kwargs)
            require_values(self.name, given.leaves, given.names)
            if current_trace() is not None:
                traced: R = self._traced_function()(*args, **kwargs)  # becomes a part of that trace
                return traced
            if is_remembered() or any(isinstance(leaf, TracedValue) for leaf in given.leaves):
                return self.python_function(*args, **kwargs)  # under a tape of plain Python
            traces = self._known.traces
            fitting, taken = self._feeds.specialized(given, self._specialize)
            if self._known.traces == traces or self._ran_natively():
                self._retracing.note_reuse()
            if self._warns_of_retracing and self._known.traces != traces and self._known.last is not None:
                compilation = Compilation(*self._known.last, self._known.reason)
                self._retracing.note(self.name, list(self._parameters.signature.parameters), compilation)
            self._describe(fitting[0], taken)
            turns = fitting[0].takes_turns
            result: R = self._run_in_turn(args, kwargs) if turns else self._result_of(fitting, given)
        except BaseException as error:
            from .compiling.diagnostics import user_traceback  # what explains errors takes long to import

            error.__traceback__ = user_traceback(error.__traceback__)
            if sys.version_info < (3, 11):
                raise error  # a bare `raise` would bring the old traceback back
            raise  # does not add this frame to the traceback
        return result

    def get_concrete_function(self, /, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The specialisation for example arguments; `weft.TensorSpec` may stand in for arrays.

        Without arguments, the one of the `input_signature`. Raises `TypeError` for arguments that the function does not
        take or that do not fit its `input_signature`.

        >>> increased = weft.function(lambda x: x + 1)
        >>> increased.get_concrete_function(weft.TensorSpec((None,), "int64"))(np.array([1, 2]))
        array([2, 3])
        """
        if (concrete := concrete_of(args, kwargs)) is not None:
            return cast("ConcreteFunction", concrete(self, args, kwargs))
        if len(args) == self._parameters.instances and not kwargs and self.input_signature is not None:
            args = (*args, *self.input_signature)
        given = self._parameters.bind(args, kwargs)
        return self._made(given._replace(leaves=with_own_specs(given.leaves)))[0]

    def _concrete_function_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ConcreteFunction:
        """As `get_concrete_function`, where a spec that comes twice stands for one array."""
        return self._made(self._parameters.bind(args, kwargs))[0]

    def cache_info(self) -> CacheInfo:
        """How many calls found what was compiled, how many had to compile or load it, and how much is kept.

        >>> increased = weft.function(lambda x: x + 1)
        >>> y = increased(np.ones(2)), increased(np.ones(2)), increased(np.ones((2, 2)))
        >>> increased.cache_info()
        CacheInfo(hits=1, misses=2, maxsize=None, currsize=2)
        """
        return self._known.info()

    def clear_cache(self) -> None:
        """Forget all specialisations: their machine code is freed, and the next call compiles again.

        >>> weft.function(lambda x: x + 1).clear_cache()
        """
        self._known.clear()
        self._sizes.clear()

    def __repr__(self) -> str:
        return f"<weft.function {self.name}>"

    def _make_of(self, python_function: Callable[..., Any], options: dict[str, Any]) -> None:
        """Be the function that `weft.function` makes with these options."""
        initialise: Any = Function.__init__
        initialise(self, python_function, **options)

    # From a call to a specialisation

    def _traced_function(self) -> Callable[..., Any]:
        """What is run to trace the function: its conversion, in which arrays may decide what runs."""
        if not self.autograph:
            from .autograph.decisions import note_unconverted

            note_unconverted(
                self.python_function, "it has autograph=False; leave that out to let arrays decide"
            )
            return self.python_function
        from .autograph.operators.calls.calls import converted_root

        return converted_root(self.python_function)

    def _specialize(self, arguments: Arguments) -> tuple[Fitting, Arguments]:
        """What was compiled for a call and fits now, and the arguments that it takes, where numbers may be data."""
        found, numbers = self._found_for(arguments)
        if found is not None:
            return found
        if numbers is None:
            return self._made_for_sizes(arguments), arguments
        with COMPILE_LOCK:
            last, changed = self._known.last, numbers.learn(with_lengths=self._device() is None)
            made, taken = numbers.specialized(self._made_for_sizes)
            if changed and self._known.last is not last:
                self._known.reason = f"{changed}; {numbers.fate()}"
        return made, taken

    def _found_for(self, arguments: Arguments) -> tuple[tuple[Fitting, Arguments] | None, CallNumbers | None]:
        """What fits now, with the arguments that it takes; and the numbers among these that may be data."""
        fitting, numbers = self._fitting(arguments), None
        if fitting is None and (numbers := self._numbers.of(arguments)) is not None:
            arguments = numbers.as_data()
            fitting = self._fitting(arguments)
        return (None if fitting is None else (fitting, arguments)), numbers

    def _fitting(self, arguments: Arguments) -> Fitting | None:
        """What was compiled for such arguments, or all sizes of them, and fits now; with the arrays to run it on."""
        signature = self._signature_of(arguments)
        fitting = self._known.fitting(signature, arguments.leaves)
        relaxed = None if fitting is not None else self._sizes.relaxed(signature)
        return fitting if relaxed is None else self._known.fitting(relaxed, arguments.leaves)

    def _made_for_sizes(self, arguments: Arguments) -> Fitting:
        """As `_made`, for all sizes where these change from call to call."""
        signature = self._signature_of(arguments)
        if self.input_signature is not None:
            return self._made(arguments)
        with COMPILE_LOCK:
            return self._sizes.made(self._known, signature, lambda wanted: self._made(arguments, wanted))

    def _signature_of(self, arguments: Arguments) -> CallSignature:
        structure, leaves, names, _, numbers = arguments
        types = of_input_signature(self.input_signature or (), tuple(map(type_of_leaf, leaves)))
        names = names_by_specs(self.input_signature, leaves, names)
        first = len(leaves) - len(numbers)
        scalars = frozenset(i for i, leaf in enumerate(leaves) if isinstance(leaf, np.generic) or i >= first)
        aliases, on_device = alias_pattern(leaves), places_on_device(leaves)
        device = device_of_call(leaves, names, on_device, self.device) if on_device else self._device()
        return CallSignature(self.name, structure, types, names, aliases, scalars, numbers, device, on_device)

    def _device(self) -> str | None:
        """The name of the GPU that calls with arrays of the host run on; None for the processor."""
        device = self.device or settings.device
        return None if device == CPU or (self.device is None and self.target is not None) else device

    def _target(self, device: str | None) -> str:
        """The machine to compile for: that of the device, where calls run on one."""
        return target_of(device) if device else self.target or settings.target

    def _made(self, arguments: Arguments, signature: CallSignature | None = None) -> Fitting:
        """What was compiled for arguments, or the signature that they are to have; compiled if there is nothing."""
        wanted = signature or self._signature_of(arguments)
        leaves = arguments.leaves
        return self._known.made(
            wanted, arguments, lambda decisions: with_entries(self._compiled, wanted, leaves, decisions)
        )

    # From a specialisation to a result

    def _result_of(self, fitting: Fitting, arguments: Arguments) -> Any:
        """Run what fits a call; where that has not the numbers which Python has, with the arguments as constants."""
        concrete, arrays = fitting
        try:
            return concrete.run(arrays, arguments.bound)
        except PythonNumberError:
            if not concrete.may_run_again:
                raise
        concrete, arrays = self._made_for_sizes(arguments)
        return concrete.run(arrays, arguments.bound)

    def _run_in_turn(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run what changes Python's state: all that it reads of that, its arguments' too, is read in its turn."""
        for _ in range(_TRIES):
            with turn():
                arguments = self._parameters.bind(args, kwargs)
                found, _ = self._found_for(arguments)
                if found is not None:
                    return self._result_of(found[0], arguments)
            self._specialize(arguments)  # another thread has changed what was compiled in
        with turn():
            arguments = self._parameters.bind(args, kwargs)
            return self._result_of(self._specialize(arguments)[0], arguments)

    def _describe(self, concrete: ConcreteFunction, arguments: Arguments) -> None:
        """Let native code run such calls from now on. The first call may be the only one, and many cannot be told."""
        concrete.calls += 1
        if concrete.calls < _DESCRIBED_FROM or concrete.calls & (concrete.calls - 1) or not is_supported():
            return
        # Under the lock also because a child would wait for ever for what another thread imports or makes at a fork.
        if not COMPILE_LOCK.acquire(blocking=False):
            return  # calls go on while another thread compiles; a later one is described
        try:
            with interrupts_held():
                self._describe_to_native(concrete, arguments)
        finally:
            COMPILE_LOCK.release()

    def _describe_to_native(self, concrete: ConcreteFunction, arguments: Arguments) -> None:
        from ..backend.cpu.dispatch.entries import Dispatch
        from ..backend.cpu.dispatch.library import library as native_library
        from .calls.native_calls import describe

        descriptor = describe(concrete, arguments, self._parameters)
        if descriptor is None:
            return
        if not hasattr(self, "_native"):  # there is one for ever, as calls that run refer to it
            self._native = self._known.native = Dispatch(self._parameters.all)
        self._native.add(descriptor)
        library = native_library()
        library.connect(Function.__call__, UNBOUND, Function, BoundFunction)
        self._vectorcall = library.call

    def _ran_natively(self) -> bool:
        """Whether native code ran calls since this was asked last."""
        calls = self._native.calls if hasattr(self, "_native") else 0
        before, self._native_calls = self._native_calls, calls
        return calls != before

    def _compiled(
        self, signature: CallSignature, leaves: Sequence[Any], decisions: Decisions
    ) -> ConcreteFunction:
        """Load what another process has compiled for a signature, or compile."""
        concrete_function, cached_function = _loader()
        parts = self.fingerprint_parts()[1:]
        cached = cached_function(self.python_function, signature, parts, bool(decisions.data))
        loaded = cached.load(lambda: self._recorded(signature), lambda program: decisions.fit(program.extra))
        if loaded is not None:
            concrete = concrete_function(signature, loaded, self)
            if concrete.admitted(leaves) is not None:
                concrete.notes.append(cached.note())
                return told(concrete)
        program, dependencies = self._traced(signature, leaves, decisions)
        cached.save(program, dependencies)
        concrete = concrete_function(signature, program, self)
        concrete.notes.append(cached.note())
        return told(concrete)

    def _traced(
        self, signature: CallSignature, leaves: Sequence[Any], decisions: Decisions
    ) -> tuple[Program, Dependencies]:
        """Trace and compile for a signature."""
        compile_function = _compiler()
        self._known.traces += 1
        strict, target = self.strict or settings.strict_conversion, self._target(signature.device)
        try:
            with uncollected_once(), settings.scope(strict_conversion=strict, target=target):
                return compile_function(self._source, self._traced_function, signature, leaves, decisions)
        except BaseException:
            if signature.numbers:
                self._known.traces -= 1  # it begins again, with constants
            raise

    def _recorded(self, signature: CallSignature, data: Iterable[Any] = ()) -> Recording:
        """What is compiled for a signature, traced once more, with some places of Python's state, by key, as data."""
        from .calls.specialisations import decided

        decisions = Decisions()
        decisions.data.update(data)
        leaves = [TensorSpec(type.shape, type.dtype) for type in signature.types]
        with COMPILE_LOCK, interrupts_held():
            program, _ = decided(lambda decisions: self._traced(signature, leaves, decisions), decisions)
        return program.recording()

    def fingerprint_parts(self) -> tuple[Any, ...]:
        """What it is in another process."""
        target = self._target(self._device())
        return (
            self.python_function,
            self.name,
            self.autograph,
            self.strict,
            target,
            self.input_signature,
            self.given_attributes(),
        )


class BoundFunction(FastCallable, Generic[Q, R]):
    """A `weft.function` that is a method, bound to its instance."""

    __slots__ = ("__dict__", "__self__", "__weakref__", "function")

    def __init__(self, function: Function[Any, R], instance: Any) -> None:
        self.function: Function[..., R] = function
        self.__self__ = instance
        self.__name__ = function.name
        self.__doc__ = function.__doc__

    def __call__(self, /, *args: Q.args, **kwargs: Q.kwargs) -> R:
        """Call the method."""
        self._look()
        return self.function(self.__self__, *args, **kwargs)

    def _look(self) -> None:
        """Be called natively if the function is."""
        if self.function._vectorcall:
            from ..backend.cpu.dispatch.library import library as native_library

            self._vectorcall = native_library().call_bound

    def __repr__(self) -> str:
        return f"<weft.function {self.__name__} of {self.__self__!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return BoundFunction, (self.function, self.__self__)

    def get_concrete_function(self, /, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """As `Function.get_concrete_function`, for this instance."""
        return self.function.get_concrete_function(self.__self__, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)


@functools.cache
def _compiler() -> Callable[..., tuple[Program, Dependencies]]:
    """What traces and compiles; it is imported when something has to be."""
    with uncollected():
        from .compiling.compile_function import compile_function
    return compile_function


@functools.cache
def _loader() -> tuple[type[ConcreteFunction], type[CachedFunction]]:
    """What runs compiled functions, and finds them; it is imported with the first call."""
    with uncollected():
        from .calls.concrete import ConcreteFunction
        from .disk_cache.functions import CachedFunction
    return ConcreteFunction, CachedFunction


mark_callable(Function, is_method=True)
mark_callable(BoundFunction)


@overload
def function(
    python_function: Callable[P, R],
    *,
    input_signature: Sequence[Any] | None = None,
    name: str | None = None,
    autograph: bool = True,
    strict: bool = False,
    target: str | None = None,
    device: str | None = None,
    max_specialisations: int | None = None,
) -> Function[P, R]: ...
@overload
def function(
    *,
    input_signature: Sequence[Any] | None = None,
    name: str | None = None,
    autograph: bool = True,
    strict: bool = False,
    target: str | None = None,
    device: str | None = None,
    max_specialisations: int | None = None,
) -> Callable[[Callable[P, R]], Function[P, R]]: ...
def function(
    python_function: Callable[P, R] | None = None,
    *,
    input_signature: Sequence[Any] | None = None,
    name: str | None = None,
    autograph: bool = True,
    strict: bool = False,
    target: str | None = None,
    device: str | None = None,
    max_specialisations: int | None = None,
    **others: Any,
) -> Function[P, R] | Callable[[Callable[P, R]], Function[P, R]]:
    """Compile a Python function over NumPy arrays; use as `@weft.function` or `@weft.function(...)`.

    `input_signature` is a sequence of `weft.TensorSpec` (nested like the arguments), one for each of the first
    positional arguments (of a method, behind the instance): calls must fit it, and extents given as None do not compile
    again for another size. `name` appears in the IR and in messages. With `autograph=False` Python runs all statements
    while tracing, so that conditions and loops cannot depend on the values of arrays. With `strict=True` a function
    that is called and cannot be converted is an error, instead of a warning. `target` names the machine to compile for,
    if not this one or that of `weft.settings.target`: a level of x86-64 ("x86-64-v3"), "aarch64", a processor as LLVM
    calls it, or a GPU ("sm_90a"), whose code can be looked at. With `device="cuda"` (or "cuda:1") calls run on a GPU:
    NumPy arrays are copied there, what the function writes to them and its results are copied back.
    `max_specialisations` says how many compiled functions are kept, those that are used most recently; without it, all
    are. Raises `TypeError` for what is no function and for other options, which it answers; `ValueError` for a longer
    `input_signature` than there are positional arguments, for an unknown `target` or `device` and for
    `max_specialisations` below 1; the first call, `weft.DeviceError` where there is no such device.

    >>> @weft.function
    ... def scaled(x, factor=2):
    ...     return x * factor + 1
    >>> scaled(np.arange(3))
    array([1, 3, 5])
    """
    if others:
        refuse_options(others, list(inspect.signature(function).parameters)[1:-1])
    options = (input_signature, name, autograph, strict, target, device, max_specialisations)
    return (
        (lambda f: Function(f, *options)) if python_function is None else Function(python_function, *options)
    )
