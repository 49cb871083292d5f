"""What arrays say of their memory: `strides`, `flags`, `base`; and their shape or dtype, set in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.errors import LayoutError, UnsupportedError, WeftValueError
from ...dialect.op import Array
from ...dialect.ops.casts import Bitcast
from ...dialect.ops.complex_parts import Imag, Real
from ...dialect.ops.shape import BroadcastTo, Reshape
from ..tracing.array import TracedArray
from ..tracing.behaviour import behaviour
from ..tracing.extents import split_shape
from ..tracing.layouts import is_contiguous
from ..tracing.view_steps import ViewStep
from .memory_order import NOT_KNOWN, use_layout

if TYPE_CHECKING:
    from ...dialect.types import TensorType
    from ..tracing.recorder import Recorder, Storage

_OF_THE_CALLER = (
    "{what} of an argument, or of an array from outside, is known to the caller only; ask x.copy(), which is an array "
    "of the function's own"
)


def strides(x: TracedArray) -> tuple[Any, ...]:
    """The `strides` property: how many bytes neighbours along each axis are apart."""
    layout = x._layout()
    use_layout(x)
    if layout.order is None:
        answers = {example.strides for example in layout.examples}
        if len(answers) != 1 or x._storage.type.rank < 2:  # vectors with gaps are compiled for once
            raise LayoutError(f"how this array ({x.type}) lies in memory {NOT_KNOWN}")
        return answers.pop()
    found: list[Any] = [0] * x.ndim
    stride: Any = x.itemsize
    for axis in reversed(layout.order):
        found[axis] = stride
        extent = x.shape[axis]
        stride = stride * (np.maximum(extent, 1) if isinstance(extent, TracedArray) else max(extent, 1))
    return tuple(found)


class Flags:
    """What `flags` gives: how the array lies in memory."""

    def __init__(self, array: TracedArray) -> None:
        self._array = array

    @property
    def c_contiguous(self) -> bool:
        """Whether the elements lie in row-major order, without gaps."""
        return self._lies("C")

    @property
    def f_contiguous(self) -> bool:
        """Whether the elements lie in column-major order, without gaps."""
        return self._lies("F")

    contiguous = c_contiguous
    fortran = f_contiguous
    forc = property(lambda self: self.c_contiguous or self.f_contiguous)
    fnc = property(lambda self: self.f_contiguous and not self.c_contiguous)

    @property
    def owndata(self) -> bool:
        """Whether the array is no view."""
        return base(self._array) is None

    @property
    def writeable(self) -> bool:
        """Whether it may be written."""
        if not all(step.writable for step in self._array._path):
            return False
        _require_own(self._array, "whether it may be written to")
        return True

    @writeable.setter
    def writeable(self, value: Any) -> None:
        set_flags(self._array, write=value)

    @property
    def aligned(self) -> bool:
        """Whether elements lie at multiples of their size."""
        _require_own(self._array, "the alignment")
        return True

    def __getitem__(self, name: str) -> Any:
        return getattr(self, _FLAGS.get(name, name.lower()))

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, _FLAGS.get(name, name.lower()), value)

    def _lies(self, order: str) -> bool:
        use_layout(self._array)
        answer = is_contiguous(self._array._layout(), self._array.type, order)
        if answer is None:
            raise LayoutError(f"how this array ({self._array.type}) lies in memory {NOT_KNOWN}")
        return answer


_FLAGS = {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata", "W": "writeable", "A": "aligned"}


def base(x: TracedArray) -> TracedArray | None:
    """The `base` property: the array that this is a view of, None where it is no view."""
    _require_own(x, "the base")
    is_view = any(not step.is_flag for step in x._path) or x._is_another
    return x._base() if is_view else None


def share_memory(a: Any, b: Any, is_exact: bool) -> bool:
    """`np.shares_memory`, which is exact, and `np.may_share_memory` where one of the arrays is traced."""
    arrays = [value for value in (a, b) if isinstance(value, TracedArray)]
    if len(arrays) == 2 and a._storage is b._storage:
        left, right = _elements_of_base(a), _elements_of_base(b)
        if left is not None and right is not None:
            if np.intersect1d(left, right).size:
                return True
            if is_exact and _is_own(a):
                return False
    own = [value for value in arrays if _is_own(value)]
    if own and (len(arrays) < 2 or a._storage is not b._storage):
        return False
    raise LayoutError(
        "whether these arrays share memory depends on where they lie, which is known to the caller only"
    )


def _elements_of_base(x: TracedArray) -> Array | None:
    """Which elements of its base a view shows, as numbers; None where that is not known while tracing."""
    base_type = x._storage.type
    steps = x._path
    if base_type.size is None or base_type.size > _MOST_ELEMENTS or any(step.operands for step in steps):
        return None
    if any(step.op_class in (Bitcast, Imag, Real) for step in steps):
        return None
    shown: Array = np.arange(base_type.size).reshape(base_type.shape)
    for step in steps:
        (shown,) = step.op_class.compute([shown], step.attributes)
    return shown


_MOST_ELEMENTS = 1 << 16


def change_in_place(x: TracedArray, name: str, value: Any) -> None:
    """`x.shape = value` and `x.dtype = value`: the object shows its elements in another way from now on."""
    _require_just_made(x, name, name in ("shape", "dtype"))
    if name == "dtype":
        changed = x.view(value)
    else:
        extents, dims = split_shape(x.reshape(value).shape)
        if not Flags(x).c_contiguous:
            raise AttributeError(
                "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape."
            )
        changed = x._view(ViewStep(Reshape, {"shape": extents}, tuple(dims)))
    _show(x, x._storage, changed._path, changed._type)


def resize(x: TracedArray, *new_shape: Any, refcheck: bool = True) -> None:
    """`x.resize(shape)`: the object holds as many of its elements as there is room for, and zeros behind, from now on.

    Raises `ValueError` for views, and where the elements do not lie in row-major order.
    """
    wanted = new_shape[0] if len(new_shape) == 1 else new_shape
    if wanted is None or (isinstance(wanted, tuple) and not wanted):
        return
    if x._is_number:
        return
    _require_just_made(x, "size")
    if x._path or not Flags(x).c_contiguous:
        raise WeftValueError("cannot resize this array: it does not own its data")
    zeros, ravel = behaviour().namespace_function("zeros"), behaviour().namespace_function("ravel")
    changed = zeros(wanted, x.dtype)
    old, new = ravel(x), ravel(changed)
    kept = np.minimum(old.shape[0], new.shape[0])
    new[:kept] = old[:kept]
    _show(x, changed._storage, changed._path, changed._type)


def set_flags(x: TracedArray, write: Any = None, align: Any = None, uic: Any = None) -> None:
    """`x.setflags(write=False)`: whether the object may be written through from now on, and views made of it."""
    if align is not None or uic:
        raise UnsupportedError(
            "setflags() changes in compiled code whether an array may be written, and nothing else"
        )
    if write is None:
        return
    _require_just_made(x, "writeable flag")
    path = [step for step in x._path if not step.is_flag]
    if write and not all(step.writable for step in path):
        raise WeftValueError("cannot set WRITEABLE flag to True of this array")
    if not write:
        extents, dims = split_shape(x.shape)
        path.append(ViewStep(BroadcastTo, {"shape": extents}, dims, writable=False, is_flag=True))
    _show(x, x._storage, tuple(path), x._type)


class _Changes:
    """The objects that show other elements, or in another way, than when they were made; as they were before."""

    def __init__(self) -> None:
        self.before: list[tuple[TracedArray, Storage, tuple[ViewStep, ...], TensorType]] = []


def changes(trace: Recorder) -> int:
    """How many objects were changed in place until now, for `take_back`."""
    return len(trace.state(_Changes).before)


def take_back(trace: Recorder, count: int) -> None:
    """Undo what was changed in place behind the first `count` changes."""
    before = trace.state(_Changes).before
    while len(before) > count:
        x, storage, path, kind = before.pop()
        x._storage, x._path, x._type = storage, path, kind
        x._cached_section = None


def _show(x: TracedArray, storage: Storage, path: tuple[ViewStep, ...], kind: TensorType) -> None:
    """Make an object show these elements from now on, so that it can be taken back."""
    storage.trace.state(_Changes).before.append((x, x._storage, x._path, x._type))
    x._storage, x._path, x._type = storage, path, kind
    x._cached_section = None


def _require_just_made(x: TracedArray, name: str, is_changeable: bool = True) -> None:
    """Refuse to change what the object of an array is, unless this function has made it, and no branch is between."""
    if isinstance(x, TracedArray) and x._is_number:
        raise AttributeError(f"the {name} of '{x._class_name}' objects is not writable")
    is_own = isinstance(x, TracedArray) and _is_own(x)
    if not is_changeable or not is_own or x._storage.region is not x._storage.trace.region:
        raise UnsupportedError(
            f"the {name} of an array is changed in place, which compiled code does for arrays that the function has "
            "just made: make another array (x = x.reshape(...), x = x.view(...), x = np.resize(x, ...)), and work with "
            "that"
        )


def _is_own(x: TracedArray) -> bool:
    """Whether an array is one that the function has made, and no other one."""
    storage = x._storage
    is_result = hasattr(storage.value, "owner") and hasattr(storage.value.owner, "name")
    is_made = storage.argument is None and (storage.is_made or is_result)
    return is_made and storage.assumption is None and not x._assumptions and storage.aliases.join is None


def _require_own(x: TracedArray, what: str) -> None:
    if not _is_own(x):
        raise LayoutError(_OF_THE_CALLER.format(what=what))
