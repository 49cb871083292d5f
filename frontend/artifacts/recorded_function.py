"""Functions of files: `weft.Function`s that are made of modules, not of Python."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...backend.cpu.dispatch.objects import mark_callable
from ...dialect.held_interrupts import interrupts_held
from ..calls.compile_lock import COMPILE_LOCK
from ..calls.concrete import ConcreteFunction
from ..calls.eager_calls import always_compiled
from ..calls.parameters import Arguments
from ..calls.shipped_code import with_code
from ..compiling.program import CallSignature, Program, Recording
from ..function import Function
from ..guards.inputs import Decisions
from ..settings import settings
from ..signature.signature import TensorSpec
from ..signature.traced_value import TracedValue
from ..tracing.current import remembering
from .cached_programs import CachedProgram
from .descriptions import description_from_json
from .recorded import Recorded
from .stored_programs import Restorable
from .structures import Json

if TYPE_CHECKING:
    from ..calls.specialisations import Fitting


class RecordedFunction(Function[..., Any]):
    """A function that `weft.load` made: called, compiled for known sizes, differentiated and inlined like any other."""

    def __init__(
        self,
        name: str,
        specialisations: Sequence[Recorded],
        state: dict[str, Any],
        target: str | None = None,
        device: str | None = None,
    ) -> None:
        self.recorded_as = tuple(specialisations)
        """What the file holds of it."""
        self.state = state
        """The arrays that it shares with the other functions of the file."""
        parameters = self.recorded_as[0].description.parameters
        called = placeholder(name, parameters, self._evaluated)
        called.__doc__ = f"{name}, loaded from a file."
        super().__init__(called, None, name, target=target, device=device)
        self._source = placeholder(name, parameters)
        for recorded in self.recorded_as:
            signature = recorded.signature(name)
            if signature.numbers:  # were found to change before the file was written
                self._numbers.expect(signature.structure, signature.numbers)

    def get_concrete_function(self, /, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The specialisation for example arguments; without any, the one that the file holds."""
        if not args and not kwargs:
            args, kwargs = self.recorded_as[0].specs()
        return super().get_concrete_function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<weft.function {self.name}{', '.join(map(str, self.recorded_as))} of a file>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        entries = [(recorded.description.to_json(), recorded.text) for recorded in self.recorded_as]
        return with_code(self, (_restored, (self.name, entries, self.state, self.target, self.device)))

    def __deepcopy__(self, memo: dict[int, Any]) -> RecordedFunction:
        state = copy.deepcopy(self.state, memo)
        return RecordedFunction(self.name, self.recorded_as, state, self.target, self.device)

    # From a call to a program

    def _fitting(self, arguments: Arguments) -> Fitting | None:
        """What was compiled for such arguments, here or before the file was written, and fits now."""
        fitting = super()._fitting(arguments)
        if fitting is not None or not any(recorded.codes for recorded in self.recorded_as):
            return fitting
        signature = self._signature_of(arguments)
        found = self._code_for(signature)
        if found is None:
            return None
        wanted = signature.with_types(found.types_for(signature))
        fitting = self._known.fitting(wanted, arguments.leaves)
        if fitting is None:
            fitting = self._known.made(wanted, arguments, lambda _: self._restored(found, wanted))
        return fitting

    def _code_for(self, signature: CallSignature) -> Restorable | None:
        """The machine code that came with the file for a call: rather that for its sizes than that for all."""
        target = self._target(signature.device)
        codes = [recorded.code_for(signature, target, self.state) for recorded in self.recorded_as]
        fitting = [code for code in codes if code is not None]
        exact = (code for code in fitting if code.stored.types == signature.types)
        return next(exact, fitting[0] if fitting else None)

    def _restored(self, found: Restorable, signature: CallSignature) -> ConcreteFunction:
        """What was compiled before."""

        def recording() -> Recording:
            with settings.scope(target=self._target(signature.device)):
                return self._recorded(signature)

        program = found.program(self.name, self.state, recording, signature.device)
        return ConcreteFunction(signature, program, self)

    def _compiled(
        self, signature: CallSignature, leaves: Sequence[Any], decisions: Decisions
    ) -> ConcreteFunction:
        """Take what came with the file, load what another process has compiled, or compile."""
        code = self._code_for(signature)
        if code is not None and code.stored.types == signature.types:
            return self._restored(code, signature)
        cached = CachedProgram(
            self.name, self.recorded_as, self.state, signature, self._target(signature.device)
        )
        found = None if decisions.data else cached.load()
        if found is not None and found.is_for(self.state):
            concrete = self._restored(found, signature)
            if concrete.admitted(leaves) is not None:
                return concrete
        program, _ = self._traced(signature, leaves, decisions)
        cached.save(program)
        return ConcreteFunction(signature, program, self)

    def program_for(self, signature: CallSignature, target: str) -> Program:
        """What a call compiles for a target."""
        from ..calls.specialisations import decided

        leaves = [TensorSpec(type.shape, type.dtype) for type in signature.types]
        self.target = target
        with COMPILE_LOCK, interrupts_held():
            program, _ = decided(lambda decisions: self._traced(signature, leaves, decisions), Decisions())
        return program

    def _traced_function(self) -> Callable[..., Any]:
        return self._replayed

    def _replayed(self, *args: Any, **kwargs: Any) -> Any:
        """Record the specialisation that fits in the trace that is in progress."""
        from .recorded_calls import replayed  # which loads the compiler

        leaves: list[Any] = []
        structure = self._parameters.flattened(*self._parameters.completed(args, kwargs), leaves, [])
        return replayed(self.name, self.recorded_as, self.state, structure, leaves)

    def _evaluated(self, *args: Any, **kwargs: Any) -> Any:
        """The function where others run as Python: it has none, and runs compiled."""
        leaves: list[Any] = []
        structure = self._parameters.flattened(*self._parameters.completed(args, kwargs), leaves, [])
        if any(isinstance(leaf, TracedValue) for leaf in leaves) or remembering() is not None:
            from .recorded_calls import on_tape  # which loads the compiler

            call = on_tape(self.name, self.recorded_as, self.state, structure, leaves)
            if call is not None:
                return call()
        with always_compiled():
            return self(*args, **kwargs)


def _restored(
    name: str,
    entries: Sequence[tuple[Json, str]],
    state: dict[str, Any],
    target: str | None,
    device: str | None,
) -> RecordedFunction:
    """A function that went to another process, with its state: one that several share is one there."""
    specialisations = [Recorded(description_from_json(entry), text) for entry, text in entries]
    return RecordedFunction(name, specialisations, state, target, device)


mark_callable(RecordedFunction, is_method=True)


def placeholder(
    name: str, parameters: Sequence[inspect.Parameter], call: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """A function with the parameters of one that is no Python; it reads nothing of Python's that could change."""

    if call is None:

        def function(*args: Any, **kwargs: Any) -> None:
            """What is traced instead comes from a file."""

    else:

        def function(*args: Any, **kwargs: Any) -> Any:  # type: ignore[misc]
            return call(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function
