"""Data sets do what tf.data's documentation shows, in plain Python; the values are those that it prints."""

from __future__ import annotations

import threading
import time
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import weft

Dataset = weft.data.Dataset


def plain(value: Any) -> Any:
    """Elements as nested lists, tuples and dicts."""
    if isinstance(value, tuple):
        return tuple(plain(part) for part in value)
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return [plain(item) for item in value] if isinstance(value, Dataset) else np.asarray(value).tolist()


def fill(x: Any) -> Any:
    return np.full(x, x)


def ragged() -> Any:
    yield 0, np.array([1], np.float32)
    yield 1, np.array([1, 2], np.float32)


CASES = {
    "slices of a vector": (lambda: Dataset.from_tensor_slices([1, 2, 3]), [1, 2, 3]),
    "slices of a matrix": (lambda: Dataset.from_tensor_slices([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    "slices of a tuple": (
        lambda: Dataset.from_tensor_slices(([1, 2], [3, 4], [5, 6])),
        [(1, 3, 5), (2, 4, 6)],
    ),
    "slices of a dict": (
        lambda: Dataset.from_tensor_slices({"a": [1, 2], "b": [3, 4]}),
        [{"a": 1, "b": 3}, {"a": 2, "b": 4}],
    ),
    "tensors": (lambda: Dataset.from_tensors(([1, 2, 3], "A")), [([1, 2, 3], "A")]),
    "range 5": (lambda: Dataset.range(5), [0, 1, 2, 3, 4]),
    "range 2, 5": (lambda: Dataset.range(2, 5), [2, 3, 4]),
    "range 1, 5, 2": (lambda: Dataset.range(1, 5, 2), [1, 3]),
    "range 1, 5, -2": (lambda: Dataset.range(1, 5, -2), []),
    "range 5, 1": (lambda: Dataset.range(5, 1), []),
    "range 5, 1, -2": (lambda: Dataset.range(5, 1, -2), [5, 3]),
    "zip": (lambda: Dataset.zip(Dataset.range(1, 4), Dataset.range(4, 7)), [(1, 4), (2, 5), (3, 6)]),
    "zip with batches": (
        lambda: Dataset.zip((Dataset.range(1, 4), Dataset.range(4, 7), Dataset.range(7, 13).batch(2))),
        [(1, 4, [7, 8]), (2, 5, [9, 10]), (3, 6, [11, 12])],
    ),
    "zip of unequal lengths": (
        lambda: Dataset.zip((Dataset.range(1, 4), Dataset.range(13, 15))),
        [(1, 13), (2, 14)],
    ),
    "concatenate": (lambda: Dataset.range(1, 4).concatenate(Dataset.range(4, 8)), [1, 2, 3, 4, 5, 6, 7]),
    "repeat": (lambda: Dataset.from_tensor_slices([1, 2, 3]).repeat(3), [1, 2, 3] * 3),
    "enumerate": (
        lambda: Dataset.from_tensor_slices([1, 2, 3]).enumerate(start=5),
        [(5, 1), (6, 2), (7, 3)],
    ),
    "enumerate pairs": (
        lambda: Dataset.from_tensor_slices([(7, 8), (9, 10)]).enumerate(),
        [(0, [7, 8]), (1, [9, 10])],
    ),
    "take": (lambda: Dataset.range(10).take(3), [0, 1, 2]),
    "take all": (lambda: Dataset.range(3).take(-1), [0, 1, 2]),
    "skip": (lambda: Dataset.range(10).skip(7), [7, 8, 9]),
    "batch": (lambda: Dataset.range(8).batch(3), [[0, 1, 2], [3, 4, 5], [6, 7]]),
    "batch that drops": (lambda: Dataset.range(8).batch(3, drop_remainder=True), [[0, 1, 2], [3, 4, 5]]),
    "map": (lambda: Dataset.range(1, 6).map(lambda x: x + 1), [2, 3, 4, 5, 6]),
    "map to a tuple": (
        lambda: Dataset.range(2).map(lambda x: (x, {"twice": 2 * x})),
        [(0, {"twice": 0}), (1, {"twice": 2})],
    ),
    "map of a tuple": (
        lambda: Dataset.from_tensor_slices(([1, 2], [3, 4])).map(lambda a, b: a * b, num_parallel_calls=2),
        [3, 8],
    ),
    "filter": (lambda: Dataset.from_tensor_slices([1, 2, 3]).filter(lambda x: x < 3), [1, 2]),
    "unbatch": (
        lambda: Dataset.from_iterable([np.array([1, 2, 3]), np.array([1, 2]), np.array([1, 2, 3, 4])]).unbatch(),
        [1, 2, 3, 1, 2, 1, 2, 3, 4],
    ),
    "padded batch": (
        lambda: Dataset.range(1, 5).map(fill).padded_batch(2),
        [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]]],
    ),
    "padded batch of a shape": (
        lambda: Dataset.range(1, 5).map(fill).padded_batch(2, padded_shapes=5),
        [[[1, 0, 0, 0, 0], [2, 2, 0, 0, 0]], [[3, 3, 3, 0, 0], [4, 4, 4, 4, 0]]],
    ),
    "padded batch with a value": (
        lambda: Dataset.range(1, 5).map(fill).padded_batch(2, padded_shapes=5, padding_values=-1),
        [[[1, -1, -1, -1, -1], [2, 2, -1, -1, -1]], [[3, 3, 3, -1, -1], [4, 4, 4, 4, -1]]],
    ),
    "padded batch of tuples": (
        lambda: Dataset.zip(Dataset.range(1, 5).map(fill), Dataset.range(1, 5).map(fill)).padded_batch(
            2, padded_shapes=([5], [None]), padding_values=(-1, 100)
        ),
        [
            ([[1, -1, -1, -1, -1], [2, 2, -1, -1, -1]], [[1, 100], [2, 2]]),
            ([[3, 3, 3, -1, -1], [4, 4, 4, 4, -1]], [[3, 3, 3, 100], [4, 4, 4, 4]]),
        ],
    ),
    "interleave": (
        lambda: Dataset.range(1, 6).interleave(
            lambda x: Dataset.from_tensors(x).repeat(6), cycle_length=2, block_length=4
        ),
        [1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5],
    ),
    "flat_map": (
        lambda: Dataset.from_tensor_slices([[1, 2, 3], [4, 5, 6], [7, 8, 9]]).flat_map(Dataset.from_tensor_slices),
        [1, 2, 3, 4, 5, 6, 7, 8, 9],
    ),
    "window": (lambda: Dataset.range(7).window(3), [[0, 1, 2], [3, 4, 5], [6]]),
    "window that drops": (lambda: Dataset.range(7).window(3, None, 1, True), [[0, 1, 2], [3, 4, 5]]),
    "window with a shift": (
        lambda: Dataset.range(7).window(3, 1, 1, True),
        [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6]],
    ),
    "window with a stride": (
        lambda: Dataset.range(7).window(3, 1, 2, True),
        [[0, 2, 4], [1, 3, 5], [2, 4, 6]],
    ),
    "windows of a tuple": (
        lambda: Dataset.from_tensor_slices(([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])).window(3, shift=1).skip(2),
        [([3, 4, 5], [8, 9, 10]), ([4, 5], [9, 10]), ([5], [10])],
    ),
    "windows of a dict": (
        lambda: Dataset.from_tensor_slices({"a": [1, 2, 3], "b": [4, 5, 6]}).window(2),
        [{"a": [1, 2], "b": [4, 5]}, {"a": [3], "b": [6]}],
    ),
    "windows of a stream": (
        lambda: Dataset.range(7).filter(lambda x: True).window(2, shift=3),
        [[0, 1], [3, 4], [6]],
    ),
    "windows in batches": (
        lambda: Dataset.range(5).window(3, 1, 1, True).flat_map(lambda window: window.batch(3)),
        [[0, 1, 2], [1, 2, 3], [2, 3, 4]],
    ),
    "prefetch": (lambda: Dataset.range(8).batch(3).prefetch(weft.data.AUTOTUNE), [[0, 1, 2], [3, 4, 5], [6, 7]]),
    "cache": (lambda: Dataset.range(5).map(lambda x: x**2).cache(), [0, 1, 4, 9, 16]),
    "cache of a stream": (lambda: Dataset.range(5).filter(lambda x: x > 2).cache().repeat(2), [3, 4, 3, 4]),
    "from a generator with a signature": (
        lambda: Dataset.from_generator(
            ragged, output_signature=(weft.TensorSpec((), "int32"), weft.TensorSpec([None], "float32"))
        ),
        [(0, [1.0]), (1, [1.0, 2.0])],
    ),
    "map before and after batch": (
        lambda: Dataset.range(5).map(lambda x: x * 10).batch(2).map(lambda x: x + 1),
        [[1, 11], [21, 31], [41]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_elements(name: str) -> None:
    make, wanted = CASES[name]
    dataset = make()
    assert plain(dataset) == wanted
    assert plain(dataset) == wanted
    assert [plain(item) for item in dataset.as_numpy_iterator()] == wanted


def test_reduce() -> None:
    assert Dataset.range(5).reduce(np.int64(0), lambda x, _: x + 1) == 5
    assert Dataset.range(5).reduce(np.int64(0), lambda x, y: x + y) == 10


def test_cardinality() -> None:
    dataset = Dataset.range(42)
    assert (dataset.cardinality(), len(dataset)) == (42, 42)
    assert dataset.repeat().cardinality() == weft.data.INFINITE_CARDINALITY
    assert dataset.filter(lambda x: True).cardinality() == weft.data.UNKNOWN_CARDINALITY
    assert [len(dataset.batch(5)), len(dataset.batch(5, drop_remainder=True))] == [9, 8]
    assert len(dataset.repeat(3).skip(1).take(100)) == 100
    assert dataset.repeat().take(7).cardinality() == 7
    assert dataset.filter(lambda x: True).take(7).cardinality() == weft.data.UNKNOWN_CARDINALITY
    with pytest.raises(TypeError, match="has no end"):
        len(dataset.repeat())
    with pytest.raises(TypeError, match="is unknown"):
        len(dataset.filter(lambda x: True))
    assert bool(dataset.filter(lambda x: True))


def test_element_spec() -> None:
    spec = weft.TensorSpec
    dataset = Dataset.from_tensor_slices({"x": np.zeros((5, 3), np.float32), "y": np.zeros(5, np.int32)})
    assert dataset.element_spec == {"x": spec((3,), "float32"), "y": spec((), "int32")}
    assert dataset.batch(2).element_spec == {"x": spec((None, 3), "float32"), "y": spec((None,), "int32")}
    assert dataset.batch(2, drop_remainder=True).element_spec["x"] == spec((2, 3), "float32")
    mapped = dataset.map(lambda d: (d["x"] @ d["x"], d["y"])).enumerate()
    assert mapped.element_spec == (spec((), "int64"), (spec((), "float32"), spec((), "int32")))
    assert Dataset.zip(dataset, dataset.filter(lambda d: True)).element_spec == (dataset.element_spec,) * 2


def test_elements_are_copies() -> None:
    rows = np.zeros((3, 2))
    for dataset in (Dataset.from_tensor_slices(rows), Dataset.from_tensor_slices(rows).batch(2)):
        for item in dataset:
            item += 1
    assert not rows.any()


Pair = namedtuple("Pair", "x y")


@dataclass
class Record:
    x: Any
    y: Any


@pytest.mark.parametrize("kind", [Pair, Record])
def test_records(kind: Any) -> None:
    dataset = Dataset.from_tensor_slices(kind([1, 2, 3], np.eye(3))).shuffle(seed=2).batch(2)
    batches = list(dataset)
    assert [type(batch) for batch in batches] == [kind, kind]
    order = np.concatenate([batch.x for batch in batches])
    assert np.array_equal(np.concatenate([batch.y for batch in batches]), np.eye(3)[order - 1])


class Frame:
    """As much of a `pandas.DataFrame` as is asked for."""

    columns = ("a", "b")

    def __init__(self, values: Any) -> None:
        self.values = values

    def to_numpy(self) -> Any:
        return self.values


class Table:
    """As much of a `pyarrow.Table` as is asked for."""

    column_names = ("a", "b")

    def column(self, name: str) -> Any:
        return {"a": [1, 2], "b": [3.0, 4.0]}[name]


def test_columns_of_others() -> None:
    assert plain(Dataset.from_tensor_slices((Frame(np.eye(2)), [5, 6]))) == [([1.0, 0.0], 5), ([0.0, 1.0], 6)]
    assert plain(Dataset.from_tensor_slices(Table())) == [{"a": 1, "b": 3.0}, {"a": 2, "b": 4.0}]
    with pytest.raises(TypeError, match=r"pass dict\(frame\)"):
        Dataset.from_tensor_slices(Frame(np.array([[1, "a"]], object)))


def test_orders_are_drawn() -> None:
    dataset = Dataset.range(50).shuffle(seed=1)
    first, second = plain(dataset), plain(dataset)
    assert first != second
    assert sorted(first) == sorted(second) == list(range(50))
    assert plain(Dataset.range(50).shuffle(seed=1)) == first
    assert plain(Dataset.range(50).shuffle(seed=2)) != first
    assert plain(Dataset.range(50).shuffle()) != plain(Dataset.range(50).shuffle())
    fixed = Dataset.range(50).shuffle(seed=1, reshuffle_each_iteration=False)
    assert plain(fixed) == plain(fixed)
    repeated = plain(Dataset.range(9).shuffle(seed=1).repeat(2))
    assert sorted(repeated[:9]) == sorted(repeated[9:]) == list(range(9))
    assert repeated[:9] != repeated[9:]
    generator = np.random.default_rng(5)
    assert plain(Dataset.range(50).shuffle(seed=generator)) != plain(
        Dataset.range(50).shuffle(seed=generator)
    )


def test_a_buffer_bounds_how_far_elements_come_forward() -> None:
    order = plain(Dataset.range(1000).shuffle(10, seed=3))
    assert sorted(order) == list(range(1000))
    assert all(number < place + 10 for place, number in enumerate(order))
    assert order != list(range(1000))
    assert plain(Dataset.range(1000).filter(lambda x: True).shuffle(10, seed=3)) == order
    assert plain(Dataset.range(10).filter(lambda x: True).shuffle(seed=3)) == plain(
        Dataset.range(10).shuffle(seed=3)
    )


def test_order_of_steps_is_kept() -> None:
    assert sorted(plain(Dataset.range(20).take(5).shuffle(seed=1))) == list(range(5))
    assert sorted(plain(Dataset.range(20).shuffle(seed=1).take(5))) != list(range(5))
    orders = [plain(Dataset.range(7).batch(2).shuffle(seed=seed)) for seed in range(4)]
    assert all(sorted(batches) == [[0, 1], [2, 3], [4, 5], [6]] for batches in orders)
    assert any(batches[-1] != [6] for batches in orders)
    assert plain(Dataset.range(4).batch(2).repeat(2).unbatch()) == [0, 1, 2, 3] * 2
    assert plain(Dataset.range(3).repeat(2).batch(4)) == [[0, 1, 2, 0], [1, 2]]
    assert plain(Dataset.range(3).batch(4).repeat(2)) == [[0, 1, 2]] * 2


def test_what_is_cached_is_made_once() -> None:
    made: list[int] = []

    def noted(x: Any) -> Any:
        made.append(int(x))
        return x * x

    for dataset, first in (
        (Dataset.range(3).map(noted), [0, 0, 1, 2]),  # the first one tells the types
        (Dataset.range(3).filter(lambda x: True).map(noted), [0, 1, 2]),
    ):
        made.clear()
        cached = dataset.cache()
        assert [plain(cached), plain(cached)] == [[0, 1, 4]] * 2
        assert made == first
    shuffled = Dataset.range(20).shuffle(seed=1).cache()
    assert plain(shuffled) == plain(shuffled)


def test_a_thread_makes_elements_ahead() -> None:
    asked: list[int] = []

    def items() -> Any:
        for number in range(100):
            asked.append(number)
            yield np.int64(number)

    dataset = Dataset.from_generator(items).prefetch(3)
    walk = iter(dataset)
    assert next(walk) == 0
    deadline = time.monotonic() + 10
    while len(asked) < 5 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert asked == [0, 1, 2, 3, 4]  # three lie there, and one waits for its place
    threads = threading.active_count()
    walk.close()  # type: ignore[attr-defined]
    assert threading.active_count() == threads - 1

    def failing(x: Any) -> Any:
        raise OSError("no such file")

    with pytest.raises(OSError, match="no such file"):
        list(Dataset.range(3).map(failing).prefetch(1))


def test_generators_with_a_signature_give_arrays_of_it() -> None:
    def items() -> Any:
        yield [1, 2], 3
        yield np.array([4, 5], np.float32), 6

    signature = (weft.TensorSpec((2,), "float32"), weft.TensorSpec((), "int64"))
    found = list(Dataset.from_generator(items, output_signature=signature))
    assert [(x.dtype, x.tolist(), y) for x, y in found] == [
        (np.float32, [1, 2], 3),
        (np.float32, [4, 5], 6),
    ]
    with pytest.raises(
        TypeError, match=r"item 0 of items, in \[1\], is i64\[\], and the element_spec is i64\[2\]"
    ):
        list(Dataset.from_generator(items, (signature[0], weft.TensorSpec((2,), "int64"))))
