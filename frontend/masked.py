"""`x[mask]` with a traced mask: the elements stay where they are, so that how many there are need not be known.

Elementwise functions of a selection are selections; assigning one to the same mask, and reducing all of it to a
scalar, have known shapes. Everything else would depend on the number of true elements and is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..dialect.errors import UnsupportedError
from .indexing import MaskIndex, masked_read_error

if TYPE_CHECKING:
    from .array import TracedArray

_REDUCTIONS = frozenset({"sum", "prod", "mean", "var", "std", "any", "all"})
"""What can be computed of a selection with `where=`, without an element to begin with."""


class MaskedSelection(np.lib.mixins.NDArrayOperatorsMixin):
    """The elements of an array where a traced mask is true."""

    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, full: TracedArray, place: MaskIndex, mask: TracedArray) -> None:
        self.full = full
        """The array with all elements; those that are not selected are computed too, and never seen."""
        self.place = place
        self.mask = mask
        """The mask in a shape that broadcasts against `full`."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
        return self.full.dtype

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        mine = out is None or (len(out) == 1 and out[0] is self)
        if method != "__call__" or not mine or ufunc.nout != 1 or ufunc.signature is not None:
            raise masked_read_error(self.place.mask)
        result = ufunc(*map(self._full_operand, inputs), **kwargs)
        if out is None:
            return MaskedSelection(result, self.place, self.mask)
        self.full = result.astype(self.dtype)
        return self

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        name = function.__name__
        if name in _REDUCTIONS and len(args) == 1 and args[0] is self:
            return self._reduce(name, kwargs)
        raise masked_read_error(self.place.mask)

    def _full_operand(self, operand: Any) -> Any:
        """An operand beside all elements: another selection of the same mask, or what broadcasts to each element."""
        if isinstance(operand, MaskedSelection):
            if (
                not same_value(operand.mask._value(), self.mask._value())
                or operand.place.axis != self.place.axis
            ):
                raise UnsupportedError(
                    "elements that two traced masks select meet in one operation; select with one mask, kept in a "
                    "variable, or compute on whole arrays with np.where(mask, a, b)"
                )
            return operand.full
        behind = self.full.ndim - self.place.axis - self.place.mask.type.rank
        if np.ndim(operand) > behind:
            raise masked_read_error(self.place.mask)
        return operand

    def _reduce(self, name: str, kwargs: dict[str, Any]) -> Any:
        if self.place.axis != 0 or self.mask.ndim != self.full.ndim or set(kwargs) - {"dtype", "ddof"}:
            raise masked_read_error(self.place.mask)
        return getattr(np, name)(self.full, where=np.broadcast_to(self.mask, self.full.shape), **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name in _REDUCTIONS:
            return lambda **kwargs: self._reduce(name, kwargs)
        if name.startswith("__"):
            raise AttributeError(name)
        raise masked_read_error(self.place.mask)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise masked_read_error(self.place.mask)

    def __getitem__(self, index: Any) -> NoReturn:
        raise masked_read_error(self.place.mask)

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        raise masked_read_error(self.place.mask)

    def __len__(self) -> NoReturn:
        raise masked_read_error(self.place.mask)

    def __iter__(self) -> NoReturn:
        raise masked_read_error(self.place.mask)

    def __bool__(self) -> NoReturn:
        raise masked_read_error(self.place.mask)

    def __repr__(self) -> str:
        return f"MaskedSelection({self.full.type})"


def same_value(left: Any, right: Any, depth: int = 16) -> bool:
    """Whether two SSA values are computed alike from the same values, so that they are equal (`x < 0` twice).

    Reads of cells are not looked into: something may have been written between them.
    """
    if left == right:
        return True
    one: Any = getattr(left, "owner", None)
    other: Any = getattr(right, "owner", None)
    if depth == 0 or not hasattr(one, "operands") or not hasattr(other, "operands"):
        return False
    if one.name != other.name or one.name == "weft.read_ref" or not one.name.startswith("weft."):
        return False
    attributes = [{name: str(op.attributes[name]) for name in op.attributes} for op in (one, other)]
    results = [list(op.results).index(value) for op, value in ((one, left), (other, right))]
    return (
        attributes[0] == attributes[1]
        and results[0] == results[1]
        and len(one.operands) == len(other.operands)
        and all(same_value(a, b, depth - 1) for a, b in zip(one.operands, other.operands, strict=True))
    )


__all__ = ["MaskedSelection", "same_value"]
