"""An input signature: what the arguments of all calls have to fit, so that one compilation serves them all."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.shown_values import shown_value
from ...dialect.types import TensorType
from .foreign_arrays import elements_as
from .signature import (
    TensorSpec,
    as_array,
    check_fits,
    constants,
    flatten,
    flatten_with,
    is_array,
    type_of_leaf,
    unflatten,
)
from .traced_value import CompositeValue


def checked_input_signature(input_signature: Any, name: str) -> tuple[Any, ...]:
    """The entries of an input signature, which hold nothing but specs."""
    leaves: list[Any] = []
    if isinstance(input_signature, (list, tuple)):
        structure = flatten_with(
            tuple(input_signature), leaves, lambda entry: is_array(entry) or isinstance(entry, TensorSpec)
        )
        if not list(constants(structure)) and all(isinstance(leaf, TensorSpec) for leaf in leaves):
            return tuple(input_signature)
    raise WeftTypeError(
        f"input_signature of {name} is a list of weft.TensorSpec, nested like the arguments, not {input_signature!r}"
    )


def instances_before(
    input_signature: Sequence[Any], parameters: Sequence[inspect.Parameter], function: str
) -> int:
    """How many arguments come before those that an input signature describes: the instance or class of a method.

    A method is told by the name of its first parameter, as other decorators and `classmethod` may stand around it.
    """
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    takes_more = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    entries = len(input_signature)
    if names[:1] in (["self"], ["cls"]):
        if entries < len(names) + takes_more:
            return 1
        raise WeftValueError(
            f"input_signature of {function} has {_counted(entries, 'entry', 'entries')} for the parameters "
            f"{', '.join(names)}: leave {names[0]} out, which is no array"
        )
    if entries > len(names):
        raise WeftValueError(
            f"input_signature of {function} has {_counted(entries, 'entry', 'entries')}, but the function takes "
            f"{_counted(len(names), 'positional argument', 'positional arguments')}"
        )
    return 0


def _counted(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def conform(value: Any, spec: Any, name: str) -> Any:
    """The argument as an entry of the input signature wants it; what does not fit is refused by name."""
    leaves: list[Any] = []
    wanted: list[Any] = []
    names: list[str] = []
    structure = flatten(spec, wanted, name, names)
    if not isinstance(spec, TensorSpec):
        given = flatten(value, leaves, name, [])
        if given != structure:
            raise WeftTypeError(
                f"argument {name!r} does not have the structure of its input_signature entry {spec!r}"
            )
    elif spec.parts is not None:
        if flatten(_composite(value, spec, name), leaves, name, []) != structure:
            raise WeftTypeError(f"argument {name!r} must be {spec!r}, but {shown_value(value)} was given")
    else:
        leaves = [value]
    conformed = [_conform_leaf(v, s, n) for v, s, n in zip(leaves, wanted, names, strict=True)]
    return unflatten(structure, lambda i: conformed[i])


def _composite(value: Any, spec: TensorSpec, name: str) -> Any:
    """An argument where dates, records or texts are wanted, made of what is no array."""
    if isinstance(value, (np.ndarray, np.generic, CompositeValue, TensorSpec)):
        return value
    try:
        return np.asarray(value, spec.dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise WeftTypeError(
            f"argument {name!r} must be {spec!r}, but {shown_value(value)} was given"
        ) from error


def of_input_signature(
    input_signature: Sequence[Any], types: tuple[TensorType, ...]
) -> tuple[TensorType, ...]:
    """The types with the unknown extents of an input signature; an extent of 1 stays known, as it broadcasts."""
    specs: list[Any] = []
    for position, entry in enumerate(input_signature):
        flatten(entry, specs, str(position), [])
    relaxed = []
    for given, spec in zip(types, specs, strict=False):
        extents = [
            known if wanted is not None or known == 1 else None
            for known, wanted in zip(given.shape, spec.shape, strict=True)
        ]
        relaxed.append(given.with_shape(extents))
    return (*relaxed, *types[len(relaxed) :])


def names_by_specs(
    input_signature: Sequence[Any] | None, leaves: Sequence[Any], names: Sequence[str]
) -> list[str]:
    """The names of array arguments: those of the specs that say one, each once, else as the program calls them."""
    specs: list[Any] = []
    for position, entry in enumerate(input_signature or ()):
        flatten(entry, specs, str(position), [])
    specs += leaves[len(specs) :]
    found = list(names)
    for place, spec in enumerate(specs[: len(found)]):
        if isinstance(spec, TensorSpec) and spec.name is not None and spec.name not in found:
            found[place] = spec.name
    return found


def _conform_leaf(value: Any, spec: TensorSpec, name: str) -> Any:
    if not is_array(value) and not isinstance(value, (np.ndarray, np.generic)):
        try:
            value = elements_as(value, spec.dtype)
        except (TypeError, ValueError, OverflowError) as error:
            raise WeftTypeError(
                f"argument {name!r} must be {spec.type}, but {shown_value(value)} was given"
            ) from error
    value = as_array(value, name)
    if isinstance(value, np.generic):
        value = np.asarray(value)  # one trace for scalars and arrays without dimensions
    check_fits(name, spec.type, type_of_leaf(value))
    return value
