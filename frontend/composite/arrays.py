"""What the arrays that stand for dates and for texts have in common: NumPy's protocols, and what moves elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NoReturn, TypeVar

import numpy as np

from ...dialect.errors import ConcreteValueError
from ..signature.traced_value import CompositeValue
from ..tracing.behaviour import behaviour

numpy: Any = np
"""NumPy's functions, whose types know nothing of traced arrays."""

OwnClass = TypeVar("OwnClass", bound="CompositeArray")


class CompositeArray(CompositeValue):
    """An array in a trace whose parts are arrays of its own shape."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def with_parts(self: OwnClass, compute: Callable[[Any], Any]) -> OwnClass:
        """What has the parts that are computed of its own ones, each."""
        return type(self)(self.dtype, tuple(map(compute, self.parts)))

    @property
    def is_scalar(self) -> bool:
        """Whether it is a scalar of NumPy's, and no array."""
        return bool(getattr(self.parts[0], "_is_scalar", False))

    def example(self) -> Any:
        return np.zeros((), self.dtype)[()] if self.is_scalar else np.empty(0, self.dtype)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape."""
        return self.parts[0].shape  # type: ignore[no-any-return]

    ndim = property(lambda self: self.parts[0].ndim, doc="The number of dimensions.")
    size = property(lambda self: self.parts[0].size, doc="The number of elements.")
    itemsize = property(lambda self: self.dtype.itemsize, doc="Bytes per element.")
    nbytes = property(lambda self: self.size * self.dtype.itemsize, doc="Bytes in all.")
    T = property(lambda self: self.with_parts(lambda part: part.T), doc="The transposed array.")

    def __getitem__(self: OwnClass, index: Any) -> OwnClass:
        return self.with_parts(lambda part: part[index])

    def __len__(self) -> int:
        return len(self.parts[0])

    def __iter__(self: OwnClass) -> Iterator[OwnClass]:
        return (type(self)(self.dtype, parts) for parts in zip(*self.parts, strict=True))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
        return partial(behaviour().composite_method, name, self)

    def __copy__(self: OwnClass) -> OwnClass:
        return self.with_parts(lambda part: part.copy())

    def __deepcopy__(self: OwnClass, memo: Any) -> OwnClass:
        return self.__copy__()

    # NumPy's protocols

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return behaviour().composite_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        return behaviour().composite_function(function, args, kwargs)

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ConcreteValueError(
            f"the value of traced {self.what} (dtype {self.dtype}, shape {self.shape}) is known only when the compiled "
            f"function runs: {self.instead}"
        )

    what = "elements"
    """How messages call what it holds."""
    instead = "compare them"
    """What messages say that can be done with it."""

    __array__ = __bool__ = __int__ = __float__ = __index__ = __format__ = __complex__ = _refuse


def comparison(ufunc: np.ufunc, found_none: bool | None = None) -> Callable[[CompositeArray, Any], Any]:
    """A comparison by Python's operator; with what it gives where NumPy has no loop, unless that is its error."""

    def compare(self: CompositeArray, other: Any) -> Any:
        try:
            return behaviour().composite_ufunc(ufunc, "__call__", (self, other), {})
        except TypeError:
            if found_none is None:
                raise
            return np.full_like(self.parts[0], found_none, bool)[()]

    return compare


COMPARISONS = {
    "eq": (np.equal, False), "ne": (np.not_equal, True), "lt": (np.less, None), "le": (np.less_equal, None),
    "gt": (np.greater, None), "ge": (np.greater_equal, None),
}  # fmt: skip
"""The ufunc of each operator, and what it gives of what cannot be compared."""


def full_like_of(kinds: str, make: Callable[[Any, np.dtype[Any]], CompositeArray]) -> Callable[..., Any]:
    """`np.full_like` of arrays with dtypes of some kinds, given what makes one of a value."""

    def full_like(
        a: Any,
        fill_value: Any,
        dtype: Any = None,
        order: str = "K",
        subok: bool = True,
        shape: Any = None,
        **kwargs: Any,
    ) -> Any:
        wanted = a.dtype if dtype is None else np.dtype(dtype)
        of = a.parts[0] if isinstance(a, CompositeArray) else a
        if wanted.kind not in kinds:
            return numpy.full_like(of, fill_value, wanted, order, shape=shape)
        given = make(fill_value, wanted)
        parts = (numpy.full_like(of, part, part.dtype, order, shape=shape) for part in given.parts)
        return type(given)(wanted, tuple(parts))

    return full_like


def filled_like(full_like: Callable[..., Any], value: Any) -> Callable[..., Any]:
    """`np.zeros_like` and its like."""

    def make(
        a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **kwargs: Any
    ) -> Any:
        return full_like(a, value, dtype, order, subok, shape)

    return make


def names(text: str) -> frozenset[str]:
    """The names in a text."""
    return frozenset(text.split())


MOVING = names(
    "append array_split atleast_1d atleast_2d atleast_3d block broadcast_arrays broadcast_to "
    "choose column_stack compress concat concatenate copy delete diag diagonal dsplit dstack "
    "expand_dims extract flip fliplr flipud hsplit hstack insert matrix_transpose moveaxis "
    "permute_dims ravel repeat reshape resize roll rollaxis rot90 select split squeeze stack "
    "swapaxes take take_along_axis tile transpose tril triu unstack vsplit vstack where"
)
"""The functions that give elements of their arguments."""

ELEMENTS = {"append": (0, 1), "choose": (1,), "insert": (0, 2), "select": (1, 2), "where": (1, 2)}
"""Which arguments of these functions have the elements; of all others the first one."""

MOVING_METHODS = names("compress copy diagonal flatten ravel repeat reshape squeeze swapaxes take transpose")
