"""What a compiled function takes, returns and holds, as structures that programs look at."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...dialect.errors import WeftError
from ...dialect.types import TensorType, type_of
from ..guards.captures import Capture
from ..guards.inputs import Input
from ..guards.packed_inputs import PackedInput
from ..signature.composite_arrays import ArrayParts, parts_of
from ..signature.generators import GeneratorParts
from ..signature.packed_numbers import DTYPES, PackedNumbers
from ..signature.signature import (
    IdentityKey,
    Leaf,
    Node,
    Static,
    Structure,
    TensorSpec,
    describe,
    unflatten,
)
from ..signature.traced_value import ArrayHolder

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def specs_of(structure: Structure, of_leaf: Callable[[int], Any]) -> Any:
    """A structure with specs in the places of its arrays, and Python's values as they are.

    What is several arrays, as dates are, is one spec; of an object that is gone there is None.
    """
    if isinstance(structure, Leaf):
        return of_leaf(structure.index)
    if isinstance(structure, Static):
        return _object(structure.value)
    if structure.kind is PackedNumbers:
        form = structure.keys[0]
        return form.unpacked([[TensorSpec((), DTYPES[kind])] * form.size for kind in form.columns])
    if structure.kind is GeneratorParts:
        return f"Generator({structure.children[0].value})"
    children = [specs_of(child, of_leaf) for child in structure.children]
    if structure.kind is ArrayParts:
        dtype, part = children[:2]
        rank = len(part.shape) - len(parts_of(dtype)[0].shape)
        return TensorSpec(part.shape[:rank], dtype, part.name)
    places = tuple(map(Leaf, range(len(children))))
    return unflatten(Node(structure.kind, structure.keys, places), children.__getitem__)


def spec_of(type: Any, name: str | None = None) -> Any:
    """The spec of an array; what is no array of one type is told in words."""
    return TensorSpec(type.shape, type.dtype, name) if isinstance(type, TensorType) else str(type)


def captured_of(extra: Iterable[Capture | Input | PackedInput], guards: Iterable[Any]) -> dict[str, Any]:
    """The arrays from outside of the arguments, by the user's words for them; of a variable the variable itself."""
    found: dict[str, Any] = {}
    for one in (*extra, *(guard for guard in guards if isinstance(guard, Capture))):
        source = one.source if isinstance(one, PackedInput) else one
        handle = source.handle
        name = source.name if handle is None else handle.name
        holder: Any = getattr(handle, "parent", None)
        owner = None if holder is None else holder.get()
        if isinstance(owner, ArrayHolder):
            found[holder.name.removeprefix("global ")] = owner
        else:
            found[name.removeprefix("global ")] = source.fetch()
    return found


def captures_told(captured: Mapping[str, Any]) -> Iterator[str]:
    """What is captured in words, a line each: `captures w: f64[3]`."""
    for name, held in captured.items():
        array = held.value if (is_holder := isinstance(held, ArrayHolder)) else held
        try:
            type = str(type_of(array))
        except (AttributeError, WeftError):  # dates, records, and what is several arrays
            type = array.__class__.__name__
        told = "" if type in name else f": {type}"
        yield f"  captures {name}{told}{', a variable' * is_holder}"


def with_fixed(
    args: tuple[Any, ...], kwargs: dict[str, Any], parameters: Sequence[inspect.Parameter], structure: Node
) -> Arguments:
    """The arguments of a call with those that were fixed by tracing and are left out: Python's values, and objects.

    Values are the defaults of their parameters; an object, as that of a method, may be left out wherever it stands.
    """
    positional, keywords = structure.children
    given, taken, named = list(args), [], dict(kwargs)
    for parameter, entry in zip(parameters, positional.children, strict=False):
        if parameter.kind is parameter.VAR_POSITIONAL:
            break
        if parameter.name in named:
            continue
        is_fixed = isinstance(entry, Static)
        fixed = _object(entry.value) if is_fixed else None
        is_object = is_fixed and isinstance(entry.key, IdentityKey)
        if given and not (is_object and not isinstance(given[0], type(fixed))):
            taken.append(given.pop(0))
        elif is_fixed and (given or parameter.kind is parameter.POSITIONAL_ONLY):
            taken.append(fixed)
        elif is_fixed:
            named[parameter.name] = fixed
    for name, entry in zip(keywords.keys, keywords.children, strict=True):
        if isinstance(entry, Static):
            named.setdefault(name, _object(entry.value))
    return (*taken, *given), named


def by_position(
    args: tuple[Any, ...], kwargs: dict[str, Any], structure: Node, names: Sequence[str]
) -> Arguments:
    """The arguments of a call with those in their places that are called by the names of arrays."""
    positional = structure.children[0].children
    taken, named = list(args), dict(kwargs)
    for entry in positional[len(taken) :]:
        if not isinstance(entry, Leaf) or names[entry.index] not in named:
            break
        taken.append(named.pop(names[entry.index]))
    return tuple(taken), named


def other_value(given: Any, wanted: Any, name_of: Callable[[int], str]) -> tuple[str, str, str] | None:
    """The first argument that has another value than tracing has fixed: its name, that value, and what was given."""
    (given_args, given_named), (wanted_args, wanted_named) = given.children, wanted.children
    pairs = enumerate(zip(given_args.children, wanted_args.children, strict=False))
    entries = [(name_of(place), *pair) for place, pair in pairs]
    entries += zip(given_named.keys, given_named.children, wanted_named.children, strict=False)
    for name, now, then in entries:
        if now != then and isinstance(then, Static):
            return name, describe(then, ()), describe(now, ()) if isinstance(now, Static) else "an array"
    return None


def _object(value: Any) -> Any:
    """An object that is held weakly."""
    return value.reference() if isinstance(value, IdentityKey) else value
