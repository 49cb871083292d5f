"""`weft.data.Dataset`: a pipeline of steps, walked by Python or by compiled code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dialect.errors import WeftTypeError, WeftValueError
from ..signature.feeds import ElementTypes
from . import batches, reordered, rows, streams
from .elements import Pipeline, as_columns, mapped, parts_of
from .prefetching import Prefetch
from .rows import Rows
from .streams import ENDLESS, INFINITE, UNKNOWN, known

AUTOTUNE = -1
"""What tf's programs pass for a number of parallel calls; it changes nothing here."""

INFINITE_CARDINALITY = INFINITE
"""The `cardinality()` of a data set without an end."""

UNKNOWN_CARDINALITY = UNKNOWN
"""The `cardinality()` of a data set that has to be walked to be counted."""


@dataclass(eq=False)
class Dataset(Pipeline):
    """Elements, and the steps that make them: `Dataset.from_tensor_slices((x, y)).shuffle(1000).batch(100)`.

    A `for` statement walks it, in plain Python and in compiled functions, where the steps are part of the loop. Each
    step gives a new data set. An element is an array, or a tuple, dict or dataclass of them; functions get the parts of
    a tuple as their arguments.

    Each walk is an epoch, which shuffles anew. Its number and the place in it are state: `weft.save_state` keeps them,
    and behind `weft.load_state` the next walk goes on where the saved one was.

    >>> dataset = weft.data.Dataset.from_tensor_slices(np.arange(5)).map(lambda x: x * 10).batch(2)
    >>> for batch in dataset:
    ...     print(batch)
    [ 0 10]
    [20 30]
    [40]
    >>> @weft.function
    ... def total(dataset):
    ...     total = 0
    ...     for batch in dataset:
    ...         total += batch.sum()
    ...     return total
    >>> total(dataset)
    np.int64(100)
    """

    pipeline: Any
    """The rows or the stream of elements."""
    progress: Any
    """The number of the epoch, of the elements of it that were given, and whether the next walk goes on from there."""

    # Sources

    @staticmethod
    def from_tensor_slices(tensors: Any) -> Dataset:
        """The rows of arrays: an array, or a tuple, dict or dataclass of arrays with one number of rows.

        Lists, columns of pandas and Arrow and all else that NumPy reads are arrays; a table of Arrow is a dict of its
        columns. Raises `ValueError` where the numbers of rows differ.

        >>> images, labels = np.zeros((3, 28, 28)), np.array([5, 0, 4])
        >>> dataset = weft.data.Dataset.from_tensor_slices({"image": images, "label": labels})
        >>> [element["label"] for element in dataset]
        [np.int64(5), np.int64(0), np.int64(4)]
        """
        columns = as_columns(tensors)
        rows.require_rows("tensors", columns)
        return made(rows.Slices(columns))

    @staticmethod
    def from_tensors(tensors: Any) -> Dataset:
        """One element.

        >>> list(weft.data.Dataset.from_tensors([1, 2, 3]))
        [array([1, 2, 3])]
        """
        columns = mapped(lambda array: array[None], as_columns(tensors))
        rows.require_rows("tensors", columns)
        return made(rows.Slices(columns))

    @staticmethod
    def range(start: int, stop: int | None = None, step: int = 1) -> Dataset:
        """The numbers of Python's `range`, as `int64`.

        >>> list(weft.data.Dataset.range(1, 6, 2))
        [np.int64(1), np.int64(3), np.int64(5)]
        """
        first, end = (0, start) if stop is None else (start, stop)
        if step == 0:
            raise WeftValueError("range: step is 0, and would never arrive")
        count = max((end - first + step - (1 if step > 0 else -1)) // step, 0)
        return made(rows.Numbers(first, step, count))

    @staticmethod
    def from_generator(
        generator: Callable[..., Iterable[Any]], output_signature: Any = None, args: tuple[Any, ...] = ()
    ) -> Dataset:
        """What `generator(*args)` yields, called anew for each epoch.

        `output_signature` is the nested `weft.TensorSpec` of an element; without it the first one tells.

        >>> def count(stop):
        ...     for number in range(stop):
        ...         yield np.float64(number)
        >>> list(weft.data.Dataset.from_generator(count, args=(2,)))
        [np.float64(0.0), np.float64(1.0)]
        """
        if not callable(generator):
            raise WeftTypeError(
                f"from_generator takes a function that makes an iterable, not {type(generator).__name__}: "
                "from_iterable takes an iterable itself"
            )
        return made(streams.Calls(generator, tuple(args), element_types(output_signature)))

    @staticmethod
    def from_iterable(iterable: Iterable[Any], element_spec: Any = None) -> Dataset:
        """The items of any iterable: a list of arrays, a loader of another library, ...

        An iterator gives its items once. Without `element_spec` the first item tells the types.

        >>> list(weft.data.Dataset.from_iterable([np.float64(1), np.float64(2)]))
        [np.float64(1.0), np.float64(2.0)]
        """
        if not hasattr(iterable, "__iter__"):
            raise WeftTypeError(f"from_iterable takes an iterable, not {type(iterable).__name__}")
        return made(streams.Items(iterable, element_types(element_spec)))

    @staticmethod
    def zip(*datasets: Any) -> Dataset:
        """The elements of several data sets side by side, as long as each has one.

        They come in a structure: `zip(a, b)`, `zip((a, b))`, `zip({"x": a, "y": b})`.

        >>> a, b = weft.data.Dataset.range(2), weft.data.Dataset.range(10, 20)
        >>> list(weft.data.Dataset.zip(a, b))
        [(np.int64(0), np.int64(10)), (np.int64(1), np.int64(11))]
        """
        structure = datasets[0] if len(datasets) == 1 else datasets
        found = [part for _, part in parts_of(structure)]
        for part in found:
            require_dataset("zip", part)
        if not found:
            raise WeftValueError("zip takes at least one data set")
        inner = mapped(lambda part: part.pipeline, structure)
        if all(isinstance(part.pipeline, Rows) for part in found):
            return made(rows.ZipRows(inner))
        return made(streams.ZipStream(inner))

    # Steps

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None, deterministic: Any = None
    ) -> Dataset:
        """A function of each element; the last two parameters, which tf has, change nothing.

        >>> list(weft.data.Dataset.range(3).map(lambda x: x**2))
        [np.int64(0), np.int64(1), np.int64(4)]
        """
        require_callable("map", map_func)
        if isinstance(self.pipeline, Rows):
            return made(rows.MapRows(self.pipeline, map_func))
        return made(streams.MapStream(self.pipeline, map_func))

    def filter(self, predicate: Callable[..., Any]) -> Dataset:
        """The elements that `predicate(element)` is true of. Raises `TypeError` where it gives no bool.

        >>> list(weft.data.Dataset.range(5).filter(lambda x: x % 2 == 0))
        [np.int64(0), np.int64(2), np.int64(4)]
        """
        require_callable("filter", predicate)
        return made(streams.FilterStream(self.pipeline, predicate))

    def shuffle(
        self, buffer_size: int | None = None, seed: Any = None, reshuffle_each_iteration: bool = True
    ) -> Dataset:
        """The elements in an order that is drawn, in each epoch another one.

        As tf does, each element comes from a place that is drawn in a buffer of `buffer_size` elements, which is filled
        in their own order; without a size, or with one that holds all, the order is any permutation. `seed` is an int
        (or a `numpy.random.Generator`, which draws one); without it each data set has its own.

        >>> dataset = weft.data.Dataset.range(5).shuffle(seed=1)
        >>> [int(x) for x in dataset], [int(x) for x in dataset]
        ([4, 0, 1, 2, 3], [2, 4, 0, 1, 3])
        """
        if buffer_size is not None:
            require_count("shuffle", "buffer_size", buffer_size)
        drawn = seed_array(seed)
        if isinstance(self.pipeline, Rows):
            kind = streams.ShuffleLast if self.pipeline.has_last() else rows.ShuffleRows
            return made(kind(self.pipeline, buffer_size, drawn, reshuffle_each_iteration))
        if buffer_size is None and known(self.pipeline.size()) == INFINITE:
            raise WeftValueError(
                "shuffle of a data set without an end needs a buffer_size: shuffle in front of repeat()"
            )
        size = ENDLESS if buffer_size is None else buffer_size
        return made(streams.ShuffleStream(self.pipeline, size, drawn, reshuffle_each_iteration))

    def batch(
        self,
        batch_size: int,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
    ) -> Dataset:
        """So many elements together, stacked along a new first axis; the last batch may be smaller, or is left out.

        Raises `ValueError` for elements of several shapes.

        >>> list(weft.data.Dataset.range(5).batch(2))
        [array([0, 1]), array([2, 3]), array([4])]
        >>> list(weft.data.Dataset.range(5).batch(2, drop_remainder=True))
        [array([0, 1]), array([2, 3])]
        """
        require_count("batch", "batch_size", batch_size)
        if isinstance(self.pipeline, Rows):
            return made(rows.BatchRows(self.pipeline, batch_size, drop_remainder))
        again = self.pipeline
        if isinstance(again, streams.RepeatStream) and is_plain(again.inner, batch_size):
            return made(reordered.RepeatedBatches(again.inner, again.count, batch_size, drop_remainder))
        return made(batches.BatchStream(self.pipeline, batch_size, drop_remainder))

    def padded_batch(
        self,
        batch_size: int,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
    ) -> Dataset:
        """So many elements together, each padded at its end to the longest of them.

        `padded_shapes` says to which shape instead, for each part of an element, None for the extent of the longest;
        `padding_values` with what, 0 if not given. Raises `ValueError` for elements that are longer than that.

        >>> dataset = weft.data.Dataset.range(1, 4).map(lambda x: np.full(x, x)).padded_batch(3)
        >>> print(next(iter(dataset)))
        [[1 0 0]
         [2 2 0]
         [3 3 3]]
        """
        require_count("padded_batch", "batch_size", batch_size)
        step = batches.PaddedBatch(self.pipeline, batch_size, drop_remainder, padded_shapes, padding_values)
        return made(step)

    def unbatch(self) -> Dataset:
        """The rows of each element, one by one.

        >>> list(weft.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).unbatch())
        [np.int64(1), np.int64(2), np.int64(3), np.int64(4)]
        """
        batches = self.pipeline
        if isinstance(batches, rows.BatchRows) and not batches.inner.has_last():
            whole = batches.full() * batches.count
            return made(rows.TakeRows(batches.inner, whole) if batches.drops else batches.inner)
        return made(streams.UnbatchStream(batches))

    def take(self, count: int) -> Dataset:
        """The first elements; all with -1.

        >>> list(weft.data.Dataset.range(5).take(2))
        [np.int64(0), np.int64(1)]
        """
        require_number("take", count)
        step = rows.TakeRows if isinstance(self.pipeline, Rows) else streams.TakeStream
        return made(step(self.pipeline, ENDLESS if count < 0 else count))

    def skip(self, count: int) -> Dataset:
        """All elements but the first; none with -1.

        >>> list(weft.data.Dataset.range(5).skip(3))
        [np.int64(3), np.int64(4)]
        """
        require_number("skip", count)
        step = rows.SkipRows if isinstance(self.pipeline, Rows) else streams.SkipStream
        return made(step(self.pipeline, ENDLESS if count < 0 else count))

    def repeat(self, count: int | None = None) -> Dataset:
        """The elements several times; again and again without a count, or with -1. Each time is shuffled anew.

        >>> list(weft.data.Dataset.range(2).repeat(2))
        [np.int64(0), np.int64(1), np.int64(0), np.int64(1)]
        """
        if count is not None:
            require_number("repeat", count)
        if count is None or count < 0:
            return made(streams.RepeatStream(self.pipeline, None))
        if (
            isinstance(self.pipeline, Rows)
            and not self.pipeline.has_last()
            and not is_shuffled(self.pipeline)
        ):
            return made(rows.RepeatRows(self.pipeline, count))
        return made(streams.RepeatStream(self.pipeline, count))

    def enumerate(self, start: int = 0) -> Dataset:
        """The elements with their numbers: pairs of an `int64` and an element.

        >>> list(weft.data.Dataset.from_tensor_slices([7, 8]).enumerate(start=5))
        [(np.int64(5), np.int64(7)), (np.int64(6), np.int64(8))]
        """
        require_number("enumerate", start)
        step = rows.EnumerateRows if isinstance(self.pipeline, Rows) else streams.EnumerateStream
        return made(step(self.pipeline, start))

    def concatenate(self, dataset: Dataset) -> Dataset:
        """The elements, and then those of another data set.

        >>> list(weft.data.Dataset.range(2).concatenate(weft.data.Dataset.range(8, 9)))
        [np.int64(0), np.int64(1), np.int64(8)]
        """
        require_dataset("concatenate", dataset)
        return made(streams.ConcatenateStream(self.pipeline, dataset.pipeline))

    def prefetch(self, buffer_size: int | None = None) -> Dataset:
        """The same elements; in plain Python a thread makes some (two, with AUTOTUNE) while others are used.

        Put it last: steps behind it take the elements one after the other.

        >>> list(weft.data.Dataset.range(2).prefetch(weft.data.AUTOTUNE))
        [np.int64(0), np.int64(1)]
        """
        ahead = 2 if buffer_size is None or buffer_size == AUTOTUNE else buffer_size
        require_count("prefetch", "buffer_size", ahead)
        return made(Prefetch(self.pipeline, ahead))

    def cache(self) -> Dataset:
        """The elements of the first epoch, kept in memory, in each epoch: no step in front of it runs again.

        Where row numbers lead to elements they are all made at the beginning of the first epoch. In compiled code the
        elements of others (behind filter(), of iterables) are made anew, in one order.

        >>> dataset = weft.data.Dataset.range(3).map(lambda x: x * x).cache()
        >>> list(dataset)
        [np.int64(0), np.int64(1), np.int64(4)]
        """
        pipeline, is_filled = self.pipeline, np.zeros(1, np.bool_)
        if isinstance(pipeline, Rows) and not pipeline.has_last() and pipeline.size() > 0:
            return made(reordered.CacheRows(pipeline, reordered.columns_for(pipeline), is_filled))
        if known(pipeline.size()) == INFINITE:
            raise WeftValueError("cache of a data set without an end: cache in front of repeat()")
        return made(reordered.CacheStream(pipeline, [], is_filled))

    def window(
        self, size: int, shift: int | None = None, stride: int = 1, drop_remainder: bool = False
    ) -> Dataset:
        """Data sets of `size` elements each, one beginning `shift` elements behind the other (`size`, if not given).

        Their elements are `stride` apart. Of a tuple or dict of arrays each part is a data set. The last ones may be
        smaller, or are left out.

        >>> [list(window.batch(3)) for window in weft.data.Dataset.range(5).window(3, shift=2)]
        [[array([0, 1, 2])], [array([2, 3, 4])], [array([4])]]
        """
        shift = size if shift is None else shift
        for name, value in (("size", size), ("shift", shift), ("stride", stride)):
            require_count("window", name, value)
        return made(reordered.Windows(self.pipeline, made, size, shift, stride, drop_remainder))

    def flat_map(self, map_func: Callable[..., Any]) -> Dataset:
        """The elements of the data set that `map_func` makes of each element, one data set after the other.

        >>> slices = weft.data.Dataset.from_tensor_slices
        >>> list(slices([[1, 2], [3, 4]]).flat_map(slices))
        [np.int64(1), np.int64(2), np.int64(3), np.int64(4)]
        """
        require_callable("flat_map", map_func)
        return made(reordered.FlatMap(self.pipeline, map_func))

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: int | None = None,
        block_length: int = 1,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
    ) -> Dataset:
        """As `flat_map`, of `cycle_length` data sets in turn (4, if not given), `block_length` elements of each.

        >>> repeated = lambda x: weft.data.Dataset.from_tensors(x).repeat(3)
        >>> [int(x) for x in weft.data.Dataset.range(1, 4).interleave(repeated, cycle_length=2, block_length=2)]
        [1, 1, 2, 2, 1, 2, 3, 3, 3]
        """
        require_callable("interleave", map_func)
        cycle = 4 if cycle_length is None or cycle_length == AUTOTUNE else cycle_length
        require_count("interleave", "cycle_length", cycle)
        require_count("interleave", "block_length", block_length)
        if cycle == 1:
            return made(reordered.FlatMap(self.pipeline, map_func))
        return made(reordered.Interleave(self.pipeline, map_func, cycle, block_length))

    # Walking

    def __iter__(self) -> Iterator[Any]:
        progress = self.progress
        if progress[2]:
            progress[2] = 0
        elif progress[1] > 0:  # a walk that was left
            progress[0] += 1
            progress[1] = 0
        epoch, position = progress[0], progress[1]
        for item in self.pipeline.walk((epoch,), position):
            position += 1
            progress[1] = position
            yield item
        progress[0] = epoch + 1
        progress[1] = 0

    def reduce(self, initial_state: Any, reduce_func: Callable[[Any, Any], Any]) -> Any:
        """`state = reduce_func(state, element)` for each element; gives the last state.

        >>> weft.data.Dataset.range(5).reduce(np.int64(0), lambda total, x: total + x)
        np.int64(10)
        """
        require_callable("reduce", reduce_func)
        state = initial_state
        for item in self:
            state = reduce_func(state, item)
        return state

    def as_numpy_iterator(self) -> Iterator[Any]:
        """The elements, which are NumPy's arrays anyway.

        >>> list(weft.data.Dataset.range(2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        return iter(self)

    # What is known of it

    @property
    def element_spec(self) -> Any:
        """The types of an element, as nested `weft.TensorSpec`; an extent that varies is None.

        >>> weft.data.Dataset.from_tensor_slices((np.zeros((5, 3)), np.zeros(5, int))).batch(2).element_spec
        (TensorSpec(shape=(None, 3), dtype=float64), TensorSpec(shape=(None,), dtype=int64))
        """
        return self.pipeline.spec()

    def cardinality(self) -> int:
        """The number of elements, or `weft.data.INFINITE_CARDINALITY`, or `weft.data.UNKNOWN_CARDINALITY`.

        >>> dataset = weft.data.Dataset.range(42)
        >>> dataset.cardinality(), dataset.repeat().cardinality(), dataset.filter(lambda x: x > 3).cardinality()
        (42, -1, -2)
        """
        size: int = self.pipeline.size()
        return size

    def __len__(self) -> int:
        """The number of elements. Raises `TypeError` where there is no end, or nothing but a walk tells it."""
        size: int = self.pipeline.size()
        if size == INFINITE:
            raise TypeError("the data set has no end, and so no length")
        if size == UNKNOWN:
            raise TypeError(
                "the length of the data set is unknown: only walking it tells how many elements come"
            )
        return size

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        size = known(self.pipeline.size())
        counted = {INFINITE: "without an end", UNKNOWN: "of elements that a walk counts"}
        return f"<Dataset {counted.get(size, f'of {size} elements')}>"

    def __weft_saved__(self) -> dict[str, Any]:
        """What `weft.state` finds in it."""
        seeds = {f"seed.{number}": seed for number, seed in enumerate(seeds_of(self.pipeline))}
        return {"progress": self.progress, **seeds}

    def __weft_loaded__(self) -> None:
        """Go on from the place that `weft.load_state` has written."""
        self.progress[2] = 1


def made(pipeline: Any) -> Dataset:
    """A data set that begins with its first epoch."""
    return Dataset(pipeline, np.zeros(3, np.int64))


def element_types(spec: Any) -> Any:
    """What someone has said of the types of elements; None for nothing."""
    return None if spec is None else ElementTypes(spec)


def seed_array(seed: Any) -> Any:
    """A seed as two words in an array, which is data of compiled code."""
    if seed is None:
        return np.random.default_rng().integers(1 << 32, size=2, dtype=np.uint32)
    if hasattr(seed, "integers"):
        return seed.integers(1 << 32, size=2, dtype=np.uint32)
    return np.array([seed & _WORD, seed >> 32 & _WORD]).astype(np.uint32)


_WORD = (1 << 32) - 1


def inner_of(pipeline: Any) -> list[Any]:
    """The pipelines that one stands on."""
    found = []
    for name in ("inner", "first", "second"):
        if hasattr(pipeline, name):
            found += [part for _, part in parts_of(getattr(pipeline, name)) if isinstance(part, Pipeline)]
    return found


def is_plain(pipeline: Any, least: int) -> bool:
    """Whether rows are so many at least, all of one shape, and no function of the program's makes them."""
    if not isinstance(pipeline, Rows) or pipeline.has_last() or known(pipeline.size()) < least:
        return False
    steps, found = [pipeline], []
    while steps:
        found += [steps.pop()]
        steps += inner_of(found[-1])
    return not any(isinstance(step, rows.MapRows) for step in found)


def is_shuffled(pipeline: Any) -> bool:
    """Whether the order of a pipeline is another one in each epoch."""
    own = hasattr(pipeline, "seed") and pipeline.each_epoch
    return own or any(is_shuffled(inner) for inner in inner_of(pipeline))


def seeds_of(pipeline: Any) -> list[Any]:
    """The seeds of all steps that shuffle."""
    found = [pipeline.seed] if hasattr(pipeline, "seed") else []
    for inner in inner_of(pipeline):
        found += seeds_of(inner)
    return found


# Arguments


def require_count(step: str, name: str, value: Any) -> None:
    """Raise unless an argument is a positive number."""
    require_number(step, value)
    if value < 1:
        raise WeftValueError(f"{step}: {name} is at least 1, not {value}")


def require_number(step: str, value: Any) -> None:
    """Raise unless an argument is a whole number."""
    if isinstance(value, (bool, float, str)) or not hasattr(value, "__index__"):
        raise WeftTypeError(f"{step} takes a whole number, not {type(value).__name__} {value!r}")


def require_callable(step: str, value: Any) -> None:
    """Raise unless an argument is a function."""
    if not callable(value):
        raise WeftTypeError(f"{step} takes a function of an element, not {type(value).__name__}")


def require_dataset(step: str, value: Any) -> None:
    """Raise unless an argument is a data set."""
    if not isinstance(value, Dataset):
        raise WeftTypeError(
            f"{step} takes data sets, not {type(value).__name__}: Dataset.from_tensor_slices(array) makes one"
        )
