"""Arrays that are split over the ranks of a mesh, each of which has a block."""

from __future__ import annotations

import functools
import importlib
import operator
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...dialect.dtypes import as_dtype
from ...dialect.errors import GatherWarning, WeftTypeError, WeftValueError
from ...passes.partition.layouts import Layout, Split, equal_blocks, require_each_once
from ..calls.lazy_arguments import is_other, take
from .mesh import Mesh
from .specs import PartitionSpec


class ShardedArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of which each rank of a mesh has a block: `shape` is that of the whole, `local` the block that is here.

    Made by `weft.distributed.scatter`, `from_local` and `load`, and by functions over such arrays. `np.asarray` gathers
    the whole on every rank, with a `weft.GatherWarning`.
    """

    __array_priority__ = 1000

    def __init__(self, blocks: Sequence[Any], shape: tuple[int, ...], layout: Layout, mesh: Mesh) -> None:
        for block in blocks:
            as_dtype(block.dtype)  # raises for what compiled code does not have
        self.blocks = list(blocks)
        """The blocks of the ranks that are in this process: one with MPI, all of a simulated mesh."""
        self.shape = shape
        """The shape of the whole."""
        self.layout = layout
        self.mesh = mesh
        """The ranks that have the blocks."""
        self.is_cut = False
        """Whether it was made of another array for one call."""

    @property
    def local(self) -> Any:
        """The block that is in this process. Raises `ValueError` where there are several, those of a simulated mesh."""
        if len(self.blocks) != 1:
            raise WeftValueError(
                f"there are {len(self.blocks)} blocks in this process, one for each rank of {self.mesh}: see `blocks`"
            )
        return self.blocks[0]

    @property
    def spec(self) -> PartitionSpec:
        """Over which axes of the mesh the array is split."""
        names = [None if split is None else _entry_of(split.axis) for split in self.layout]
        while names and names[-1] is None:
            names.pop()
        return PartitionSpec(*names)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
        found: np.dtype[Any] = self.blocks[0].dtype
        return found

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements of the whole."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """The bytes of the whole."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise WeftTypeError("len() of an array without axes")
        return self.shape[0]

    def gather(self) -> np.ndarray[Any, np.dtype[Any]]:
        """The whole array, on every rank: memory for all of it has to be there.

        >>> mesh = weft.distributed.Mesh.simulated(2)
        >>> weft.distributed.scatter(np.arange(5), weft.distributed.P("d"), mesh).gather()
        array([0, 1, 2, 3, 4])
        """
        if self.mesh.is_simulated:
            return self._joined(self.blocks)
        from .collectives import all_gather  # which loads the ops

        def gathered(block: np.ndarray[Any, np.dtype[Any]]) -> list[Any]:
            longest = [
                max(split.lengths()) if split else extent
                for split, extent in zip(self.layout, self.shape, strict=True)
            ]
            wide = np.zeros(longest, self.dtype)
            wide[tuple(slice(extent) for extent in block.shape)] = block
            return list(all_gather(wide, axis=None))

        (layers,) = self.mesh.run(gathered, [(self.local,)])
        pieces = []
        for rank, layer in enumerate(layers):
            region = self.region(rank)
            pieces.append(layer[tuple(slice(len(along)) for along in region)])
        return self._joined(pieces)

    def region(self, rank: int) -> tuple[range, ...]:
        """Which elements a rank has of each axis."""
        return region_of(self.layout, self.shape, self.mesh, rank)

    def _joined(self, pieces: Sequence[Any]) -> np.ndarray[Any, np.dtype[Any]]:
        found = np.empty(self.shape, self.dtype)
        for rank, piece in enumerate(pieces):
            found[tuple(slice(along.start, along.stop) for along in self.region(rank))] = piece
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, np.dtype[Any]]:
        warnings.warn(
            f"{self!r} is gathered on every rank, {self.nbytes:,} bytes: call gather() where that is meant, or a "
            "weft.function over the array, whose blocks stay where they are",
            GatherWarning,
            stacklevel=2,
        )
        return self.gather().astype(dtype or self.dtype, copy=False)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions of such arrays run on the blocks."""
        return _over_blocks(function, self.mesh)(*args, **kwargs)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        out = kwargs.pop("out", None)
        made = _over_blocks(function, self.mesh)(*args, **kwargs)
        if out is None:
            return made
        if not isinstance(out[0], ShardedArray) or len(out) > 1:
            raise WeftTypeError(
                f"{ufunc.__name__} of a ShardedArray writes to one ShardedArray, not to {type(out[0]).__name__}: leave "
                "out= out, and gather() the result"
            )
        out[0][...] = made
        return out[0]

    # Parts, and NumPy's methods

    def __getitem__(self, key: Any) -> Any:
        """A part, as a new array: in blocks where it is split."""
        return _over_blocks(operator.getitem, self.mesh)(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write to a part, in the blocks."""
        _over_blocks(operator.setitem, self.mesh)(self, key, value)

    def __iter__(self) -> Iterator[Any]:
        """The entries along the first axis."""
        return (self[number] for number in range(len(self)))

    def __bool__(self) -> bool:
        if self.size != 1:
            raise WeftValueError(
                f"The truth value of an array with {self.size} elements is ambiguous. Use a.any() or a.all()"
            )
        return bool(self.gather().item())

    def __float__(self) -> float:
        return float(self._only())

    def __int__(self) -> int:
        return int(self._only())

    def _only(self) -> Any:
        if self.size != 1:
            raise WeftTypeError(f"only an array of one element is a number, and this one has {self.size}")
        return self.gather().item()

    @property
    def T(self) -> Any:
        """The array with its axes in reverse order, in blocks."""
        return self.transpose()

    def transpose(self, *axes: Any) -> Any:
        """`numpy.ndarray.transpose`, in blocks."""
        order = axes[0] if len(axes) == 1 else axes or None
        return self.__array_function__(np.transpose, (), (self, order), {})

    def reshape(self, *shape: Any) -> Any:
        """`numpy.ndarray.reshape`, in blocks."""
        return self.__array_function__(np.reshape, (), (self, shape[0] if len(shape) == 1 else shape), {})

    def astype(self, dtype: Any) -> Any:
        """The elements in another dtype, in blocks."""
        blocks = [block.astype(as_dtype(dtype)) for block in self.blocks]
        return ShardedArray(blocks, self.shape, self.layout, self.mesh)

    def copy(self) -> ShardedArray:
        """A copy, in the same blocks."""
        return self.astype(self.dtype)  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(
                f"a ShardedArray has no {name!r}: compute with it in a weft.function, or take gather()"
            )
        return functools.partial(getattr(np, name), self)

    def __repr__(self) -> str:
        return f"ShardedArray(shape={self.shape}, dtype={self.dtype}, spec={self.spec}, mesh={self.mesh})"


_METHODS = frozenset(
    (
        *(
            "all",
            "any",
            "argmax",
            "argmin",
            "argsort",
            "clip",
            "cumprod",
            "cumsum",
            "dot",
            "max",
            "mean",
            "min",
            "prod",
        ),
        *("ravel", "repeat", "round", "squeeze", "std", "sum", "swapaxes", "take", "var"),
    )
)
"""Methods that are NumPy's functions of the array."""


@functools.lru_cache(maxsize=256)
def _over_blocks(function: Callable[..., Any], mesh: Mesh) -> Callable[..., Any]:
    """One of NumPy's functions over blocks: always the same, so that it is compiled once."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = function.__name__
    partition: Any = importlib.import_module(".partitioned", __package__).partition  # which stands on this
    made: Callable[..., Any] = partition(call, mesh)
    return made


@functools.lru_cache(maxsize=256)
def _of_function(function: Any) -> Callable[..., Any]:
    """A compiled function over blocks."""
    partition: Any = importlib.import_module(".partitioned", __package__).partition  # which stands on this
    made: Callable[..., Any] = partition(function)
    return made


def _call_over_blocks(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a compiled function with such arrays among its arguments."""
    return _of_function(function)(*args, **kwargs)


def _concrete_over_blocks(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What is made for such arguments, to look at."""
    over_blocks: Any = _of_function(function)
    return over_blocks.get_concrete_function(*args, **kwargs)


take(ShardedArray, _call_over_blocks, _concrete_over_blocks, is_first=True)


def region_of(layout: Layout, shape: Sequence[int], mesh: Mesh, rank: int) -> tuple[range, ...]:
    """Which elements of each axis a rank of a mesh has."""
    return tuple(
        range(extent) if split is None else split.block(mesh.place(rank, split.axis))
        for split, extent in zip(layout, shape, strict=True)
    )


def layout_of(spec: Any, shape: Sequence[int], mesh: Mesh, what: str) -> Layout:
    """How an array is split, in blocks as equal as can be. Raises for specs that do not fit it, or the mesh."""
    if not isinstance(spec, PartitionSpec):
        raise WeftTypeError(f"{what} is split as a weft.distributed.P says, not as {spec!r}")
    if len(spec) > len(shape):
        raise WeftValueError(f"{what} has {len(shape)} axes, too few for {spec}")
    layout: list[Split | None] = []
    entries = [*spec, *(None,) * (len(shape) - len(spec))]
    for entry, extent in zip(entries, shape, strict=True):
        if entry is None:
            layout.append(None)
            continue
        axis = _axis_of(entry, mesh, what)
        layout.append(equal_blocks(axis, mesh.extent(axis), extent))
    require_each_once(f"{what}: {spec}", tuple(layout))
    return tuple(layout)


def _entry_of(axis: str) -> str | tuple[str, ...]:
    """What a spec has for an axis of the mesh, or for several together."""
    return tuple(axis.split(",")) if "," in axis else axis


def _axis_of(entry: Any, mesh: Mesh, what: str) -> str:
    """The axes of the mesh that an entry of a spec names."""
    names = [entry] if isinstance(entry, str) else list(entry)
    known = ", ".join(map(repr, mesh.axis_names))
    for name in names:
        if name not in mesh.axis_names:
            raise WeftValueError(f"{what} is split over {name!r}, but the axes of the mesh are {known}")
    if names != sorted(names, key=mesh.axis_names.index):
        raise WeftValueError(f"{what} is split over {entry!r}: axes of the mesh come in its order, {known}")
    return ",".join(names)


def scatter(array: Any, spec: PartitionSpec, mesh: Mesh | None = None) -> ShardedArray:
    """The blocks of an array that all processes have.

    Of an array that is computed later, as one of Dask, each rank computes its block. One that is in blocks already, of
    any lengths, goes from rank to rank into equal ones.

    >>> mesh = weft.distributed.Mesh.simulated(2)
    >>> x = weft.distributed.scatter(np.arange(5), weft.distributed.P("d"), mesh)
    >>> x.shape, x.spec, x.blocks
    ((5,), PartitionSpec('d'), [array([0, 1]), array([2, 3, 4])])
    """
    if isinstance(array, ShardedArray):
        return _redistributed(array, spec, mesh)
    mesh = _mesh_of(mesh)
    whole = array if is_other(array, ShardedArray) else np.asarray(array)
    layout = layout_of(spec, whole.shape, mesh, "the array")
    return _cut(whole, layout, mesh)


def _redistributed(x: ShardedArray, spec: PartitionSpec, mesh: Mesh | None) -> ShardedArray:
    from .redistribution import redistributed  # which nobody needs but here

    if mesh is not None and mesh is not x.mesh:
        raise WeftValueError(
            f"blocks go from one rank to another of {x.mesh}, and not to {mesh}: gather() the array"
        )
    layout = layout_of(spec, x.shape, x.mesh, "the array")
    every = range(x.mesh.size)
    behind = [region_of(layout, x.shape, x.mesh, rank) for rank in every]
    blocks = redistributed(x.mesh, x.blocks, [x.region(rank) for rank in every], behind)
    return ShardedArray(blocks, x.shape, layout, x.mesh)


def _mesh_of(mesh: Any) -> Mesh:
    """A mesh, that of all processes for None. Raises `TypeError` for what is none."""
    if mesh is None:
        return Mesh()
    if not isinstance(mesh, Mesh):
        raise WeftTypeError(f"arrays are split over a weft.distributed.Mesh, not over {mesh!r}")
    return mesh


def _cut(whole: Any, layout: Layout, mesh: Mesh) -> ShardedArray:
    """Copies of the blocks of an array, or of what is sliced like one."""
    blocks = []
    for rank in mesh.ranks:
        region = region_of(layout, whole.shape, mesh, rank)
        part = whole[tuple(slice(along.start, along.stop) for along in region)]
        blocks.append(np.array(part, order="C"))
    return ShardedArray(blocks, tuple(whole.shape), layout, mesh)


def load(file: str | os.PathLike[str], spec: PartitionSpec, mesh: Mesh | None = None) -> ShardedArray:
    """The array of a `.npy` file, of which each rank reads its block only."""
    mesh = _mesh_of(mesh)
    whole = np.load(file, mmap_mode="r")
    return _cut(whole, layout_of(spec, whole.shape, mesh, f"the array of {os.fspath(file)}"), mesh)


def from_local(block: Any, spec: PartitionSpec, mesh: Mesh | None = None) -> ShardedArray:
    """The array whose block on each rank is given; blocks may have any lengths along the axis that is split.

    On a simulated mesh it takes a list of the blocks of all ranks. Raises `ValueError` for blocks that do not fit
    together.

    >>> mesh = weft.distributed.Mesh.simulated(2)
    >>> weft.distributed.from_local([np.zeros((1, 4)), np.ones((2, 4))], weft.distributed.P("d"), mesh).shape
    (3, 4)
    """
    mesh = _mesh_of(mesh)
    given = list(block) if mesh.is_simulated else [block]
    blocks = [np.asarray(each) for each in given]
    if len(blocks) != len(mesh.ranks):
        raise WeftValueError(f"there are {len(blocks)} blocks for {len(mesh.ranks)} ranks of {mesh}")
    shapes, dtypes = _shapes_of_all(blocks, mesh)
    if len({len(shape) for shape in shapes}) > 1 or len(set(dtypes)) > 1:
        shown = ", ".join(f"{dtype}{list(shape)}" for shape, dtype in zip(shapes, dtypes, strict=True))
        raise WeftTypeError(f"blocks of one array have as many axes and the same dtype, not {shown}")
    template = layout_of(spec, shapes[0], mesh, "the array")
    layout: list[Split | None] = []
    for dim, split in enumerate(template):
        extents = [shape[dim] for shape in shapes]
        if split is None:
            if len(set(extents)) > 1:
                raise WeftValueError(
                    f"axis {dim} is not split by {spec}, but blocks have {', '.join(map(str, extents))} elements of it"
                )
            layout.append(None)
            continue
        lengths: dict[int, int] = {}
        for rank, extent in enumerate(extents):
            place = mesh.place(rank, split.axis)
            if lengths.setdefault(place, extent) != extent:
                raise WeftValueError(
                    f"blocks at place {place} of axis {split.axis!r} have {lengths[place]} and {extent} elements of "
                    f"axis {dim}"
                )
        bounds = np.cumsum([0, *(lengths[place] for place in range(mesh.extent(split.axis)))])
        layout.append(Split(split.axis, tuple(map(int, bounds))))
    shape = tuple(
        extent if split is None else split.extent for extent, split in zip(shapes[0], layout, strict=True)
    )
    return ShardedArray([np.array(each, order="C") for each in blocks], shape, tuple(layout), mesh)


def _shapes_of_all(blocks: Sequence[Any], mesh: Mesh) -> tuple[list[tuple[int, ...]], list[str]]:
    """The shapes and dtypes of the blocks of all ranks."""
    if mesh.is_simulated or mesh.size == 1:
        return [block.shape for block in blocks], [block.dtype.str for block in blocks]
    from .collectives import all_gather  # which loads the ops

    words = np.zeros(80, np.int64)
    (block,) = blocks
    words[:64][: block.ndim] = block.shape
    words[64] = block.ndim
    text = block.dtype.str.encode()
    words[65 : 65 + len(text)] = list(text)
    (rows,) = mesh.run(lambda: all_gather(words, axis=None), [()])
    shapes = [tuple(map(int, row[: int(row[64])])) for row in rows]
    return shapes, [bytes(int(c) for c in row[65:] if c).decode() for row in rows]
