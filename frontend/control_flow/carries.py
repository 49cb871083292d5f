"""What a loop hands from iteration to iteration: a structure whose leaves keep their shapes and dtypes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...dialect.errors import WeftTypeError, with_article
from ...dialect.types import format_shape
from ..gradients.structures import leaves_of, map_leaves
from ..signature.traced_value import held
from ..source.own_attributes import has_fields
from ..tracing.array import TracedArray
from ..tracing.extents import known_shape, require_equal
from ..tracing.staging import cast

Leaves: TypeAlias = "tuple[Any, ...]"

_NUMBERS = (bool, int, float, complex)


class Carry:
    """A structure of leaves, of which a function makes another one that is like it.

    A leaf that is a Python number may become any number: it has no dtype of its own.
    """

    def __init__(self, first: Any, path: str, made_by: str) -> None:
        self._first = first
        self._made_by = made_by
        self._paths = [name for _, name in leaves_of(first, path)]
        self._path = path

    def leaves(self) -> Leaves:
        """The leaves of the first value."""
        return tuple(leaf for leaf, _ in leaves_of(self._first))

    def structured(self, leaves: Leaves) -> Any:
        """The structure with other leaves."""
        remaining = iter(leaves)
        return map_leaves(lambda leaf, path: next(remaining), self._first, "")

    def fitted(self, value: Any, before: Leaves) -> Leaves:
        """The leaves of what a function made of those before; TypeError unless these are alike."""
        found = self._matched(self._first, value, self._path)
        return tuple([self._like(*three) for three in zip(found, before, self._paths, strict=True)])

    def _matched(self, first: Any, value: Any, path: str) -> Iterator[Any]:
        """The leaves of a value, in the order of those of the first one."""
        parts = _parts(first, path)
        if parts is None:
            yield held(value)
            return
        others = _parts(value, path)
        if others is None or type(first) is not type(value) or parts.keys() != others.keys():
            raise self._changed(path, first, value)
        for name, part in parts.items():
            yield from self._matched(part, others[name], name)

    def _like(self, leaf: Any, before: Any, path: str) -> Any:
        """A leaf that is like the one before: a Python number in the place of one with a dtype gets that."""
        wanted, found = _kind_of(before), _kind_of(leaf)
        if _is_number(found) and isinstance(wanted, np.dtype) and not known_shape(before):
            if np.result_type(wanted, found(0)) == wanted:
                return cast(leaf, wanted)
            raise self._changed(path, before, leaf)
        if _is_number(wanted):
            is_alike = _is_number(found) or (isinstance(found, np.dtype) and not known_shape(leaf))
        else:
            is_alike = found == wanted and self._is_as_large(leaf, before, path)
        if not is_alike:
            raise self._changed(path, before, leaf)
        return leaf

    def _is_as_large(self, leaf: Any, before: Any, path: str) -> bool:
        """Whether arrays have one shape, as far as that is known while tracing; the rest is checked at run time."""
        shapes = known_shape(leaf), known_shape(before)
        if len(shapes[0]) != len(shapes[1]):
            return False
        if any(None not in pair and pair[0] != pair[1] for pair in zip(*shapes, strict=True)):
            return False
        if isinstance(leaf, TracedArray):
            for axis, pair in enumerate(zip(*shapes, strict=True)):
                if None in pair:
                    message = (
                        f"{self._made_by} changes the extent of axis {axis} of {path} from {{0}} to {{1}}, but it has "
                        "to keep shapes"
                    )
                    extents = before.shape[axis], leaf.shape[axis]
                    pairs = [(before, axis, leaf, axis)]
                    require_equal(leaf._storage.trace, pairs, message, *extents, error="TypeError")
        return True

    def _changed(self, path: str, before: Any, after: Any) -> WeftTypeError:
        wanted, found = _kind_of(before), _kind_of(after)
        hint = ""
        if isinstance(wanted, np.dtype) and isinstance(found, np.dtype) and wanted != found:
            hint = f"; convert it there with astype({wanted.name!r}), or begin with {found.name}"
        return WeftTypeError(
            f"{self._made_by} makes {_described(after)} of {path}, which is {_described(before)}, but it has to keep "
            f"structures, shapes and dtypes{hint}"
        )


def _parts(value: Any, path: str) -> dict[str, Any] | None:
    """What a structure consists of, by what it is called; None for a leaf."""
    if isinstance(value, dict):
        return {f"{path}[{key!r}]": item for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return {f"{path}[{number}]": item for number, item in enumerate(value)}
    if has_fields(type(value)):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        return {f"{path}.{name}": getattr(value, name) for name in names}
    return None


def _kind_of(leaf: Any) -> Any:
    """The dtype of an array, the class of a Python number that it is or stands for, or that of anything else."""
    number = leaf._python_type if isinstance(leaf, TracedArray) else type(leaf)
    if _is_number(number):
        return number
    dtype = getattr(leaf, "dtype", None)
    return dtype if isinstance(dtype, np.dtype) else type(leaf)


def _is_number(kind: Any) -> bool:
    return isinstance(kind, type) and kind in _NUMBERS  # a dtype equals classes, too


def _described(value: Any) -> str:
    """A part of a structure, as messages call it."""
    if value is None:
        return "None"
    kind = _kind_of(value)
    if isinstance(kind, np.dtype):
        return f"{kind.name}{_shown(known_shape(value))}"
    count = f" of {len(value)}" if isinstance(value, (list, tuple, dict)) else ""
    return f"{with_article(kind.__name__)}{count}"


def _shown(shape: Sequence[int | None]) -> str:
    return f" of shape {format_shape(tuple(shape))}"
