"""Loops over generators and objects of other libraries: items are fetched when the compiled function runs."""

from __future__ import annotations

import collections
import io
import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft

pytestmark = pytest.mark.filterwarnings("ignore:each item of this:weft.FallbackWarning")


def batches(count: int = 5, width: int = 3) -> Iterator[tuple[Any, Any]]:
    for number in range(count):
        yield np.full(width, number, np.float32), np.int64(number)


class Loader:
    """As libraries have it: its iterator is no generator, and nothing that can be compiled."""

    def __init__(self, count: int = 4) -> None:
        self.count = count

    def __iter__(self) -> Walk:
        return Walk(self.count)


class Walk:
    def __init__(self, count: int) -> None:
        self.left = count

    def __iter__(self) -> Walk:
        return self

    def __next__(self) -> Any:
        if not self.left:
            raise StopIteration
        self.left -= 1
        return np.full(2, float(self.left))

    def __del__(self) -> None:
        pass


def total(items: Any) -> Any:
    found, count = np.float32(0), 0
    for x, y in items:
        found += x.sum() * (y + 1)
        count += 1
    return found, count


def test_generators_are_walked_when_the_function_runs() -> None:
    compiled = weft.function(total)
    for count in (5, 1, 7):
        assert compiled(batches(count)) == total(batches(count))
    assert compiled.trace_count == 1
    used = batches(3)
    compiled(used)
    assert compiled(used) == (0, 0)
    assert list(used) == []
    assert compiled(iter(())) == (0, 0)
    assert compiled(batches(0)) == (0, 0)
    assert compiled(batches(2)) == total(batches(2))
    assert compiled(iter(list(batches()))) == total(batches())


def test_arguments_lie_in_containers() -> None:
    @weft.function
    def compared(loaders: Any) -> Any:
        found = 0
        for _, y in loaders["train"]:
            found += y
        for _, y in loaders["test"]:
            found -= 100 * y
        return found

    for train, test in ((3, 5), (4, 2)):
        assert compared({"train": batches(train), "test": batches(test)}) == (
            sum(range(train)) - 100 * sum(range(test))
        )
    assert compared.trace_count == 1


def test_objects_with_iterators_in_python() -> None:
    @weft.function
    def added(loader: Any) -> Any:
        found = np.zeros(2)
        for x in loader:
            found += x
        return found

    loader = Loader()
    assert [added(loader).tolist() for _ in range(2)] == [[6, 6], [6, 6]]
    assert added(Loader(5)).tolist() == [10, 10]
    assert added.trace_count == 1

    @weft.function
    def of_variable() -> Any:
        found = np.zeros(2)
        for x in loader:
            for y in loader:
                found += x * y
        return found

    assert of_variable().tolist() == [36, 36]
    loader = Loader(3)
    assert of_variable().tolist() == [9, 9]


def test_break_leaves_the_iterator_where_it_is() -> None:
    @weft.function
    def until(items: Any, last: Any) -> Any:
        count = 0
        for _, y in items:
            count += 1
            if y == last:
                break
        else:
            count = -count
        return count

    items = batches(6)
    assert until(items, np.int64(1)) == 2
    assert until(items, np.int64(3)) == 2
    assert [int(y) for _, y in items] == [4, 5]
    assert until(batches(6), np.int64(9)) == -6


def sums_of_zip(items: Any) -> Any:
    found = np.float32(0)
    for number, (x, _) in zip(range(3), items):
        found += x.sum() * number
    for x, _ in items:
        found += 100 * x.sum()
    return found


def sums_of_zip_behind(items: Any) -> Any:
    found = np.float32(0)
    for (x, _), number in zip(items, range(3)):
        found += x.sum() * number
    for x, _ in items:
        found += 100 * x.sum()
    return found


def sums_of_enumerate(items: Any) -> Any:
    found = np.float32(0)
    for number, (x, _) in enumerate(items, 2):
        found += x.sum() * number
    return found


def sums_of_builtins(items: Any) -> Any:
    return sum(x.sum() for x, _ in items), max((y for _, y in items), default=np.int64(-1))


def listed(items: Any) -> Any:
    rows = [x for x, _ in items]
    return len(rows), np.stack(rows)


def taken_by_next(items: Any) -> Any:
    x, _ = next(items)
    for _ in range(2):
        y, _ = next(items)
        x = x + y
    z, _ = next(items, (x, np.int64(9)))
    return x, z


@pytest.mark.parametrize(
    "function",
    [sums_of_zip, sums_of_zip_behind, sums_of_enumerate, sums_of_builtins, listed, taken_by_next],
)
def test_builtins_take_items(function: Callable[[Any], Any]) -> None:
    for count in (5, 3):
        wanted, found = function(batches(count)), weft.function(function)(batches(count))
        wanted, found = (value if isinstance(value, tuple) else (value,) for value in (wanted, found))
        assert all(map(np.array_equal, wanted, found))


def test_next_raises_at_the_end() -> None:
    @weft.function
    def twice(items: Any) -> Any:
        return next(items)[1] + next(items)[1]

    assert twice(batches(2)) == 1
    with pytest.raises(StopIteration):
        twice(batches(1))
    with pytest.raises(TypeError, match="'Loader' object is not an iterator"):
        weft.function(lambda items: next(items))(Loader())


COUNTER = itertools.count()
ROWS = (row for row in [1, 2])


def test_iterators_of_variables() -> None:
    counted = weft.function(lambda x: x + next(COUNTER))
    assert [counted(0), counted(0), next(COUNTER), counted(0)] == [0, 1, 2, 3]
    assert weft.function(lambda x: x + next(iter(COUNTER)))(0) == 4
    assert weft.function(lambda x: x + next(iter(ROWS)))(0) == 1
    assert weft.function(lambda x: x + sum(ROWS))(0) == 2
    with pytest.raises(weft.UnsupportedError, match=r"next\(\) of what enumerate, zip or map make"):
        weft.function(lambda x: x + next(zip([1], COUNTER))[1])(0)
    with pytest.raises(weft.UnsupportedError, match="this uses a count from outside of the compiled"):
        weft.function(lambda x: x + sum(itertools.islice(COUNTER, 2)))(0)


def test_numbers_and_texts_in_items() -> None:
    def items() -> Iterator[Any]:
        for number in range(3):
            yield {"x": number, "kind": "plain", "half": number / 2, "none": None}

    @weft.function
    def walked(items: Any) -> Any:
        found = 0.0
        for item in items:
            if item["kind"] == "plain" and item["none"] is None:
                found += item["x"] * item["half"]
        return found

    assert walked(items()) == 2.5


def of_shapes() -> Iterator[Any]:
    yield np.zeros((2, 3)), {"a": np.int64(1)}
    yield np.zeros((2, 3)), {"a": np.int64(1)}
    yield np.zeros((1, 3)), {"a": np.int64(1)}


def of_dtypes() -> Iterator[Any]:
    yield np.zeros(3), {"a": np.int64(1)}
    yield np.zeros(3), {"a": np.int32(1)}


def of_structures() -> Iterator[Any]:
    yield np.zeros(3), {"a": 1}
    yield np.zeros(3), {"b": 1}


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (
            of_shapes,
            r"item 2 of generator, in \[0\], is f64\[1,3\], and the first one was f64\[2,3\]",
        ),
        (
            of_dtypes,
            r"item 1 of generator, in \[1\]\['a'\], is i32\[\], and the first one was i64\[\]",
        ),
        (
            of_structures,
            r"item 1 of generator is \(f64\[3\], {'b': i64\[\]}\), and the first one was \(f64\[3\]",
        ),
    ],
)
def test_items_that_differ_are_named(items: Callable[[], Any], message: str) -> None:
    @weft.function
    def walked(items: Any) -> Any:
        count = 0
        for _ in items:
            count += 1
        return count

    with pytest.raises(TypeError, match=message):
        walked(items())


def test_extents_that_vary_are_said_by_a_spec() -> None:
    def items() -> Iterator[Any]:
        for count in (4, 4, 2):
            yield np.ones((count, 3), np.float32)

    @weft.function
    def walked(dataset: Any) -> Any:
        rows, found = 0, np.float32(0)
        for x in dataset:
            rows += len(x)
            found += x.sum()
        return rows, found

    spec = weft.TensorSpec((None, 3), "float32")
    for _ in range(2):
        assert walked(weft.data.Dataset.from_iterable(items(), spec)) == (10, 30)
    with pytest.raises(
        TypeError, match=r"item 0 of list_iterator is f64\[3\], and the element_spec is f32\[\?,3\]"
    ):
        walked(weft.data.Dataset.from_iterable(iter([np.zeros(3)]), spec))


def test_exceptions_of_iterators_are_raised() -> None:
    def items() -> Iterator[Any]:
        yield np.zeros(3), np.int64(1)
        raise OSError("no such disk")

    with pytest.raises(OSError, match="no such disk"):
        weft.function(total)(items())


def test_items_that_are_no_arrays_are_refused() -> None:
    with pytest.raises(weft.UnsupportedError, match="uses a generator from outside of the compiled function"):
        weft.function(total)(text for text in ("a", "b"))


class Queue:
    """An iterator over what only Python sees."""

    def __init__(self) -> None:
        self.items: Any = collections.deque()

    def __iter__(self) -> Queue:
        return self

    def __next__(self) -> Any:
        if not self.items:
            raise StopIteration
        return self.items.popleft()


class Signals:
    """An iterator over the bytes of a file."""

    def __init__(self) -> None:
        self.file = io.BytesIO()

    def __iter__(self) -> Signals:
        return self

    def __next__(self) -> Any:
        if not (found := self.file.read(1)):
            raise StopIteration
        return np.full(2, found[0])


def test_a_variable_that_was_empty() -> None:
    signals, queue = Signals(), Queue()

    def count(items: Any) -> Any:
        found = 0
        for _ in items:
            found += 1
        return found

    number_of_signals, length = weft.function(lambda: count(signals)), weft.function(lambda: count(queue))
    assert (number_of_signals(), length()) == (0, 0)
    queue.items.append(np.zeros(2))
    assert length() == 1  # compiled again for a deque that is not empty
    signals.file.write(b"ab")
    signals.file.seek(0)
    with pytest.raises(TypeError, match="the Signals had no items when the function was compiled"):
        number_of_signals()


def test_one_warning_says_it() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")

        @weft.function
        def walked(items: Any) -> Any:
            count = 0
            for _ in items:
                count += 1
            return count

        walked(batches())
        walked(batches(width=2))
    assert [warning.category for warning in caught] == [weft.FallbackWarning]
    assert "each item of this generator is fetched in Python" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_functions_pass_iterators_on() -> None:
    inner = weft.function(total)
    outer = weft.function(lambda items: inner(items)[0] * 2)
    for count in (3, 5):
        assert outer(batches(count)) == 2 * total(batches(count))[0]
    assert outer.trace_count == 1

    def scaled(factor: Any, items: Any) -> Any:
        return factor * total(items)[0]

    value, slope = weft.value_and_grad(scaled)(np.float32(3), batches())
    assert (value, slope) == (3 * total(batches())[0], total(batches())[0])


def test_concrete_functions_walk_what_they_were_made_for() -> None:
    items = batches()
    concrete = weft.function(total).get_concrete_function(items)
    assert concrete(items) == total(batches())
    assert concrete(items) == (0, 0)
