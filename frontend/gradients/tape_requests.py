"""What a tape is asked for: requests for gradients by what it has seen, in the structures of arrays and objects."""

from __future__ import annotations

import dataclasses
import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.errors import WeftTypeError, WeftValueError
from ..autograph.operators.objects.access import attr
from ..function import Function
from ..numpy_api.creation import ones_like, zeros
from ..signature.traced_value import ArrayHolder, held
from ..tracing.array import TracedArray
from ..tracing.recorder import Recorder, Storage
from ..tracing.staging import raise_where, staged
from .independent import Variable, described, fitting, gradient_of, has_derivative
from .rows import by_rows
from .structures import holders_of, leaves_of, map_holders, structure_of

Ask = Callable[[Variable], Any]
"""Asks for the derivatives by a variable that y depends on."""


class Recording(ABC):
    """What a tape has seen."""

    trace: Recorder

    def __init__(self) -> None:
        self._held: list[tuple[Any, dict[str, Any]]] = []
        """Objects with the arrays that they held in the beginning, by their paths."""

    @abstractmethod
    def close(self) -> None:
        """The `with` block ends."""

    @abstractmethod
    def watch(self, leaf: Any, path: str) -> Any:
        """What is used in place of an array or number, by which gradients are asked for."""

    @abstractmethod
    def paused(self) -> AbstractContextManager[None]:
        """Take what is read in the block for constants."""

    @property
    def is_here(self) -> bool:
        """Whether the program is where the tape was entered, and in no branch or loop inside."""
        return True

    def require_usable(self) -> None:
        """Raise where gradients cannot be asked for any more."""
        return None

    @abstractmethod
    def found(self, storage: Storage) -> Any:
        """The independent value of an array; None for one that was not read."""

    @abstractmethod
    def inner(self, storage: Storage) -> Any:
        """The independent value of an array that was computed after the tape was entered; None for what has none."""

    @abstractmethod
    def result_of(self, holder: Any, leaf: Any) -> TracedArray:
        """An array that is differentiated; a variable is read."""

    @abstractmethod
    def watched(self) -> Iterable[Storage]:
        """The arrays that were read or watched."""

    def variables(self) -> tuple[Any, ...]:
        """The variables among these, in the order of their reads."""
        held = (storage.variable for storage in self.watched())
        return tuple({id(one): one for one in held if one is not None}.values())

    @abstractmethod
    def is_own(self, storage: Storage) -> bool:
        """Whether an array was computed after the tape was entered, and is not watched."""

    @abstractmethod
    def array_of(self, leaf: Any) -> TracedArray | None:
        """The traced array for one that was there before; None for what has none."""

    def require_rebound(self, leaf: Any, path: str) -> None:
        """Raise where what has no derivative is an array whose place another one has taken, which is not used."""
        return None

    @abstractmethod
    def connected(self, values: list[Any]) -> Container[Any]:
        """The values that others may have been computed of."""

    @abstractmethod
    def instead(self, path: str) -> str:
        """What to write where a tape did not see an array."""

    def gradient(self, y: Any, x: Any, weights: Any, connected_only: bool) -> Any:
        """The gradient by x of the sum of what y holds, or of the weighted one."""
        ys = self._results(y)
        seeds = [staged(self.trace, ones_like(array)) for array in ys]
        if weights is not None:
            seeds = self._weights(y, weights)

        def ask(variable: Variable) -> Any:
            return gradient_of(self.trace, ys, seeds, variable)

        return self._by(x, ys, ask, (), connected_only)

    def jacobian(self, y: Any, x: Any, connected_only: bool) -> Any:
        """All derivatives of an array by x."""
        (result,) = self._results([y])
        return self._by(
            x, [result], lambda v: by_rows(self.trace, result, [v])[0], result.shape, connected_only
        )

    def batch_jacobian(self, y: Any, x: Any, connected_only: bool) -> Any:
        """The derivatives of each item of an array, along its first axis, by the same item of x."""
        (result,) = self._results([y])

        def ask(variable: Variable) -> Any:
            _require_items(result, variable.array)
            return by_rows(self.trace, result, [variable], 1)[0]

        return self._by(x, [result], ask, result.shape[:1], connected_only)

    def by_object(self, owner: Any, ys: list[TracedArray], ask: Ask, leading: tuple[Any, ...] = ()) -> Any:
        """The derivatives of values by those arrays that an object held in the beginning and that were read."""
        return self._by(owner, ys, ask, leading, False)

    def hold(self, owner: Any) -> None:
        """Take note of the arrays of an object; what it gets afterwards is computed of these."""
        self._held.append((owner, dict(arrays_in(owner))))

    def _arrays_of(self, owner: Any) -> dict[str, Any]:
        """The arrays that an object held in the beginning, or those that it has where none were noted."""
        return next((arrays for held, arrays in self._held if held is owner), None) or dict(arrays_in(owner))

    # What is differentiated

    def _results(self, y: Any) -> list[TracedArray]:
        self.require_usable()
        found = []
        for holder, path in holders_of(y, "y"):
            leaf = held(holder)
            if not has_derivative(leaf) or kind(np.dtype(getattr(leaf, "dtype", float))) == "c":
                raise WeftTypeError(
                    f"{path} is {described(leaf)}: gradients are those of real numbers; convert it to floating point, "
                    "or use its real part or absolute value"
                )
            found.append(self.result_of(holder, leaf))
        return found

    def _weights(self, y: Any, weights: Any) -> list[TracedArray]:
        if structure_of(y) != structure_of(weights):
            raise WeftTypeError(f"output_gradients has another structure than y: it is {described(weights)}")
        return [
            fitting(
                self.trace,
                weight,
                staged(self.trace, leaf).type,
                path,
                path.replace("output_gradients", "y", 1),
            )
            for (leaf, _), (weight, path) in zip(
                leaves_of(y), leaves_of(weights, "output_gradients"), strict=True
            )
        ]

    # By what is differentiated

    def _by(
        self, x: Any, ys: list[TracedArray], ask: Ask, leading: tuple[Any, ...], connected_only: bool
    ) -> Any:
        """The derivatives by all that x holds; an object gives those by its arrays that were read."""
        connected = self.connected([array._value() for array in ys])

        def visit(holder: Any, path: str) -> Any:
            leaf, is_variable = held(holder), isinstance(holder, ArrayHolder)
            if is_object(leaf):
                found = {name: self.array_of(array) for name, array in self._arrays_of(leaf).items()}
                return {
                    name: derivative(array, name)
                    for name, array in found.items()
                    if array is not None and self.found(array._storage) is not None
                }
            if not has_derivative(leaf):
                raise WeftTypeError(
                    f"{path} is {described(leaf)}, by which there is no derivative; convert it to floating point"
                )
            array = self.array_of(leaf)
            if array is None and is_variable:  # was not read
                return None if connected_only else zeros((*leading, *leaf.shape), leaf.dtype)
            if not is_variable and array is not None and self.found(array._storage) not in connected:
                self.require_rebound(leaf, path)
            return derivative(array, path)

        def derivative(array: TracedArray | None, path: str) -> Any:
            if array is None:
                raise WeftValueError(f"{path} is not an array that the tape saw: {self.instead(path)}")
            storage = array._storage
            value, sources = self.found(storage), connected
            if value is None and self.is_own(storage):
                value = None if array._path else self.inner(storage)
                if value is None:
                    raise WeftValueError(
                        f"{path} was computed after the tape was entered, which does not watch it: write "
                        f"{path} = tape.watch({path}) where it is computed"
                    )
                sources = self.connected([result._value() for result in ys])
            if value is None or value not in sources:
                return None if connected_only else zeros((*leading, *array.shape), array.dtype)
            base = array._base()
            found = ask(Variable(base, base, value))
            return found if not array._path else self._part(found, array, len(leading), path)

        return map_holders(visit, x, "x")

    def _part(self, whole: TracedArray, view: TracedArray, leading: int, path: str) -> TracedArray:
        """Of the gradient by an array that by a view of it."""
        if leading:
            raise WeftValueError(f"{path} is a view of an array: ask for the Jacobian by the whole array")
        return TracedArray(whole._storage, view._path, view._type).copy()


def _require_items(y: TracedArray, x: TracedArray) -> None:
    """Raise unless two arrays have as many items along their first axes."""
    if not y.ndim or not x.ndim:
        raise WeftValueError(
            f"a batch Jacobian is that of the items of arrays along their first axes, but y is {y.type} and x is "
            f"{x.type}; use jacobian"
        )
    extents = y.type.shape[0], x.type.shape[0]
    if None not in extents and extents[0] != extents[1]:
        raise WeftValueError(
            f"a batch Jacobian is that of as many items, but y has {extents[0]} and x {extents[1]}"
        )
    if None in extents:
        raise_where(
            np.not_equal(y.shape[0], x.shape[0]),
            ValueError,
            "a batch Jacobian is that of as many items, but y has {0} and x {1}",
            y.shape[0],
            x.shape[0],
        )


def is_object(value: Any) -> bool:
    """Whether a value is an object that may have arrays in its attributes, and no structure of its own."""
    is_code = isinstance(value, (type, types.ModuleType, types.FunctionType, types.MethodType, Function))
    is_structure = isinstance(value, (list, tuple, dict)) or dataclasses.is_dataclass(value)
    return hasattr(value, "__dict__") and not (is_code or is_structure or has_derivative(value))


def arrays_in(owner: Any) -> Iterator[tuple[str, Any]]:
    """The arrays in the attributes of an object, in those of objects in them, and in containers, by their paths."""
    seen: set[int] = set()

    def walk(value: Any, path: str) -> Iterator[tuple[str, Any]]:
        value = held(value)
        if isinstance(value, (TracedArray, np.ndarray, np.generic)):
            if has_derivative(value):
                yield path, value
            return
        if id(value) in seen:
            return
        seen.add(id(value))
        if isinstance(value, (list, tuple)):
            for i, item in enumerate(value):
                yield from walk(item, f"{path}[{i}]")
        elif isinstance(value, dict):
            for key, item in value.items():
                yield from walk(item, f"{path}[{key!r}]")
        elif is_object(value) or dataclasses.is_dataclass(value):
            for name in list(vars(value)):
                yield from walk(attr(value, name), f"{path}.{name}" if path else name)

    yield from walk(owner, "")
