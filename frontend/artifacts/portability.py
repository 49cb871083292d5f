"""What a compiled function is to other processes; or all the reasons why it is nothing to them, with their lines."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...dialect.attributes import type_from_mlir
from ...dialect.errors import ArtifactError, NotPortable, WeftValueError
from ...dialect.mlir import Operation
from ...dialect.register import context
from ...dialect.types import RefType
from ...passes.rewriting import operations_of
from ..compiling.program import Recording
from ..function import Function
from ..guards.captures import Capture
from ..guards.handles import Handle
from ..guards.inputs import Input
from ..python_state.updates import Built, Update
from ..runtime_values.result_spec import ComputedResult, ConstantResult, HolderResult, Result, of_one_type
from ..signature.signature import IdentityKey, Leaf, Node, Static, Structure, is_alive, parts_of_call
from ..source.tracebacks import places_of
from .checked_modules import functions_of, name_of, text_of
from .descriptions import Argument, Description, PlainResult, StateArray, StateUpdate
from .recorded import Recorded
from .structures import NoForm, structure_to_json

if TYPE_CHECKING:
    from ..calls.concrete import ConcreteFunction


class Portable(NamedTuple):
    """A compiled function as a file holds it."""

    description: Description
    text: str


def portable(
    concrete: ConcreteFunction,
    parameters: tuple[inspect.Parameter, ...],
    shared: SharedState,
) -> Portable:
    """What a file holds of a compiled function, whose state is that of the file; raises `NotPortable`."""
    recording = _recording_of(concrete, shared)
    structure, parameters = without_instance(concrete.argument_structure, parameters)
    reasons = list(reasons_against(concrete, recording, structure))
    if reasons:
        lines = "".join(f"\n  {reason}" for reason in reasons)
        raise NotPortable(f"{concrete.name} cannot leave this process:{lines}")
    with context():
        text = text_of(recording.module)
    written = _written(recording)
    aliases = concrete._aliases
    place = {position: number for number, position in enumerate(sorted(set(aliases)))}
    arguments = tuple(
        Argument(
            name, given, written[place[first]], concrete.numbers.get(position), position in concrete._scalars
        )
        for position, (name, given, first) in enumerate(
            zip(concrete.argument_names, concrete.argument_types, aliases, strict=True)
        )
    )
    first = len(place)
    arrays = [_array(extra) for extra in recording.extra]
    state = tuple(
        StateArray(shared.of(extra, array), extra.type, is_written)
        for extra, array, is_written in zip(recording.extra, arrays, written[first:], strict=True)
    )
    updates = tuple(
        StateUpdate(shared.of_update(update.handle, recording.extra), number)
        for update in (recording.updates.updates if recording.updates else ())
        if (number := _number_of(update)) is not None
    )
    description = Description(
        recording.symbol,
        parameters,
        structure,
        arguments,
        aliases,
        state,
        tuple(recording.computed_types),
        recording.result.structure,
        tuple(map(_constant_of, recording.result.leaves)),  # of which `reasons_against` refuses others
        updates,
    )
    try:
        description.to_json()
    except NoForm as error:
        raise NotPortable(
            f"{concrete.name} cannot leave this process:\n  it has {error} among its results"
        ) from None
    return Portable(description, text)


def portable_again(
    recorded: Recorded, state: Mapping[str, np.ndarray[Any, Any]], shared: SharedState
) -> Portable:
    """What a file holds of a function that came from one."""
    try:
        recorded.require_portable()
    except ArtifactError as error:
        raise NotPortable(f"{recorded.description.symbol} cannot leave this process:\n  {error}") from error
    for array in recorded.description.state:
        shared.keep(array.key, state[array.key])
    return Portable(recorded.description, recorded.text)


def _recording_of(concrete: ConcreteFunction, shared: SharedState) -> Recording:
    """What was recorded, with data in the places that functions of the file change.

    In this process a number or small array that was never changed is a constant under a guard; a file has no guards.
    """
    recording = concrete._recording()
    wanted = set(_changed_places(recording))
    for guard in concrete.guards:
        handle = getattr(guard, "handle", None)
        if isinstance(handle, Handle) and handle.place in shared.changed:
            wanted.add(handle.place)
    for capture in concrete._captures:
        if capture.content is not None and shared.is_written(capture.array):
            if capture.handle is None:
                raise NotPortable(
                    f"{concrete.name} cannot leave this process:\n  it reads an array that another function writes "
                    "under no name by which it can be found: keep it in an attribute"
                )
            wanted.add(capture.handle.place)
    if wanted <= {extra.handle.place for extra in recording.extra if isinstance(extra, Input)}:
        return recording
    function: Function[..., Any] = concrete._function
    return function._recorded(concrete.signature(), wanted)


def _changed_places(recording: Recording) -> Iterator[Any]:
    """The places of numbers that a call changes."""
    for update in recording.updates.updates if recording.updates else ():
        if isinstance(update.make, Built) and not update.is_whole:
            yield update.handle.place


class SharedState:
    """The state of the functions of a file: arrays by name, each once, whichever functions use it."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        """What is written, by names in the program's words."""
        self.changed: set[Any] = set()
        """The places of numbers that a function changes."""
        self.written: dict[int, Any] = {}
        """The arrays that a function writes, by identity."""
        self._known: dict[Any, str] = {}

    def meet(self, concrete: ConcreteFunction) -> None:
        """Take note of what a function changes, before any is written."""
        recording = concrete._recording()
        self.changed.update(_changed_places(recording))
        first = len(set(concrete._aliases))
        for extra, is_written in zip(recording.extra, _written(recording)[first:], strict=True):
            if is_written:
                array = _array(extra)
                self.written[id(array)] = array

    def is_written(self, array: np.ndarray[Any, Any]) -> bool:
        """Whether a function writes an array, or another one in its memory."""
        return any(np.shares_memory(array, other) for other in self.written.values())

    def require_apart(self) -> None:
        """Refuse arrays of which one is written and another one shows a part: in a file each has its own memory."""
        for key, array in self.arrays.items():
            for other, written in self.arrays.items():
                if key != other and id(written) in self.written and np.shares_memory(array, written):
                    raise NotPortable(
                        f"{other}, which is written, and {key} lie in the same memory, which a file does not keep: "
                        "take the one of the other in the functions"
                    )

    def of(self, extra: Capture | Input, array: np.ndarray[Any, Any]) -> str:
        """The name of what a function gets behind its arguments."""
        identity = (
            extra.handle.key if isinstance(extra, Input) and extra.kind is not np.ndarray else id(array)
        )
        if identity not in self._known:
            words = extra.handle.name if extra.handle is not None else "constant"
            name = (
                words.removeprefix("global ").removeprefix("self.").removesuffix("._array")
            )  # of a variable
            number, key = 1, name
            while key in self.arrays:
                number, key = number + 1, f"{name}.{number}"
            self._known[identity] = key
            self.arrays[key] = array
        return self._known[identity]

    def keep(self, key: str, array: np.ndarray[Any, Any]) -> None:
        """Let an array of a file have the name that it has. Raises `ValueError` where another one has it."""
        if self.arrays.setdefault(key, array) is not array:
            raise WeftValueError(
                f"two arrays have the name {key!r}: save the functions to files of their own"
            )
        self._known[id(array)] = key

    def of_update(self, handle: Any, extras: list[Capture | Input]) -> str:
        """The name of a number that a call changes."""
        extra = _input_of(handle, extras)
        assert extra is not None
        return self.of(extra, _array(extra))


def without_instance(
    structure: Structure, parameters: tuple[inspect.Parameter, ...]
) -> tuple[Structure, tuple[inspect.Parameter, ...]]:
    """The arguments of a method without the instance: what it holds is state of the file."""
    positional, keywords = parts_of_call(structure)
    if positional.children and parameters and _is_object(positional.children[0]):
        positional = Node(tuple, (), positional.children[1:])
        parameters = parameters[1:]
    return Node(tuple, (), (positional, keywords)), parameters


def is_of(structure: Structure, instance: Any) -> bool:
    """Whether what was compiled for arguments can still be called, and is of an instance, if there is one."""
    if not is_alive(structure):
        return False
    positional = structure.children[0] if isinstance(structure, Node) else None
    first = positional.children[0] if isinstance(positional, Node) and positional.children else None
    return instance is None or (first is not None and _is_object(first) and first.key.reference() is instance)


def _written(recording: Recording) -> list[bool]:
    """Which arrays a recorded function writes, its own arguments first."""
    with context():
        entry = next(f for f in functions_of(recording.module) if name_of(f) == recording.symbol)
        arguments = entry.regions[0].blocks[0].arguments
        return [isinstance(type_from_mlir(argument.type), RefType) for argument in arguments]


def _is_object(structure: Structure) -> bool:
    return isinstance(structure, Static) and isinstance(structure.key, IdentityKey)


def _array(extra: Capture | Input) -> np.ndarray[Any, Any]:
    """What a function would get now."""
    found = extra.fetch()
    return np.asarray(found)


def _input_of(handle: Any, extras: list[Capture | Input]) -> Input | None:
    key = handle.place
    return next((e for e in extras if isinstance(e, Input) and e.handle.place == key), None)


def _number_of(update: Update) -> ComputedResult | None:
    """The number that a call stores, if it is one."""
    made: Any = update.make.result if isinstance(update.make, Built) and not update.is_whole else None
    if isinstance(made, Result) and made.structure == Leaf(0):
        made = made.leaves[0]
    made = of_one_type(made)
    return made if isinstance(made, ComputedResult) else None


def reasons_against(concrete: ConcreteFunction, recording: Recording, structure: Structure) -> Iterator[str]:
    """Everything that another process cannot do."""
    with context():
        for call in operations_of(recording.module):
            yield from _calls_of_python(recording.module, call)
    for update in recording.updates.updates if recording.updates else ():
        number, held = _number_of(update), _input_of(update.handle, recording.extra)
        if number is not None and held is not None:
            made = recording.computed_types[number.position]
            if made != held.type:
                yield (
                    f"it changes {update.handle.name} from {held.type} to {made}, and what a file keeps has one type: "
                    f"let it be of {made} from the start"
                )
        else:
            yield (
                f"it changes {update.handle.name}, which holds no number that it reads: keep a number or an array "
                "there, and read it before"
            )
    for leaf in map(_constant_of, recording.result.leaves):
        if not isinstance(leaf, PlainResult):
            yield f"it returns {_described(leaf)}"
    for what, given in (("takes", structure), ("returns", recording.result.structure)):
        try:
            structure_to_json(given)
        except NoForm as error:
            yield f"it {what} {error}: arrays, numbers and strings in lists, tuples and dicts have a form in files"
    for extra in recording.extra:
        if isinstance(extra, Input) and extra.device is not None:
            yield f"{extra.name} lies on {extra.device}: copy it to the host"
        elif isinstance(extra, Input) and extra.fetch() is None:
            yield extra.changed()


def _calls_of_python(module: Operation, call: Operation) -> Iterator[str]:
    if call.name != "func.call":
        return
    callee = call.attributes["callee"].value
    function = next(f for f in functions_of(module) if name_of(f) == callee)
    if not function.regions[0].blocks:
        what = function.attributes["weft.python"].value if "weft.python" in function.attributes else callee
        places = places_of(str(call.location))
        where = f" at {places[0]}" if places else ""
        yield f"it calls Python for `{what}`{where}"


def _constant_of(leaf: Any) -> Any:
    """A set of constants, which each call makes anew, as a constant."""
    is_set = isinstance(leaf, HolderResult) and not leaf.parts.leaves and type(leaf.build((), ())) is set
    return ConstantResult(leaf.build((), ())) if is_set else leaf


def _described(leaf: Any) -> str:
    """What a result is, and what to return instead."""
    known = {
        "OutsideResult": "an array from outside: return a copy",
        "ListResult": "a list whose length is known when it runs only: return np.array of it",
        "ThawedResult": "a string or object that Python makes",
    }
    kind = getattr(getattr(leaf, "make", None), "python_type", None)
    if kind is not None:
        return f"a {kind.__name__} whose keys are known when it runs only: return arrays of what is in it"
    told = known.get(type(leaf).__name__, "an object of Python")
    return told if ": " in told else f"{told}: return arrays, numbers, lists, tuples and dicts of them"
