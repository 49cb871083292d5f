"""Pipelines that one loop walks at once: `zip` of streams and `interleave`, compiled as in plain Python."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import mostly_interpreted

Dataset = weft.data.Dataset
NUMBER = weft.TensorSpec((), "int64")


def odd(x: Any) -> Any:
    return x % 3 > 0


def fill(x: Any) -> Any:
    return np.full(x, x)


def flat(x: Any) -> Any:
    if isinstance(x, tuple):
        return sum([(place + 2) * flat(part) for place, part in enumerate(x)])
    return (x.reshape(-1) * np.arange(1, x.size + 1)).sum() + 7 * x.size


def digest(dataset: Any) -> Any:
    """Numbers that tell all elements, their shapes and their order."""
    count, total = 0, np.int64(7)
    for x in dataset:
        total = (total * 31 + flat(x)) % 1000003
        count += 1
    return count, total


def drawn() -> Iterator[Any]:
    draws = random.Random(3)  # nothing that compiled code has
    for _ in range(5):
        yield np.int64(draws.randint(0, 99))


def lengths() -> Iterator[Any]:
    for length in (3, 1, 4, 2):
        yield np.full(length, length)


def drawn_of(count: Any) -> Iterator[Any]:
    draws = random.Random(str(count))  # nothing that compiled code has
    for _ in range(int(count)):
        yield np.int64(draws.randint(0, 99))


def numbers(count: int) -> Any:
    """A stream."""
    return Dataset.range(count).filter(odd)


PROGRAMS: dict[str, Callable[[], Any]] = {
    "repetitions": lambda: Dataset.zip(
        Dataset.range(4).shuffle(seed=1).repeat(), Dataset.range(6).shuffle(seed=2).repeat(3).map(fill)
    ).map(lambda x, y: (x, y.sum())),
    "batches": lambda: Dataset.zip(numbers(20).batch(3), Dataset.range(2), numbers(11).batch(3).skip(1)),
    "taken apart": lambda: Dataset.zip(
        numbers(20), numbers(12).batch(3).unbatch().concatenate(Dataset.range(3)).enumerate().take(7)
    ),
    "shuffled": lambda: Dataset.zip(
        numbers(20).cache(),
        numbers(12).shuffle(3, seed=4),
        Dataset.range(12).batch(5).shuffle(3, seed=4).prefetch(),
    ),
    "shuffled of few": lambda: (
        Dataset.range(3).batch(1).concatenate(Dataset.range(5, 7).batch(1)).shuffle(2, seed=4)
    ),
    "windows": lambda: Dataset.zip(
        Dataset.range(20).window(3), Dataset.range(12).window(3, shift=1)
    ).flat_map(lambda x, y: Dataset.zip(x, y)),
    "windows of streams": lambda: Dataset.zip(
        numbers(20).window(4, shift=2, stride=2), numbers(30).window(2, shift=5)
    ).flat_map(lambda x, y: Dataset.zip(x, y)),
    "windows of parts": lambda: (
        Dataset.zip(numbers(20), Dataset.range(14).map(lambda x: x * 10)).window(3, 1, 1, True)
    ).flat_map(lambda x, y: Dataset.zip(x.batch(3), y.batch(2))),
    "windows with a smaller last batch": lambda: (
        Dataset.range(11).batch(2).window(2, 1, 2).flat_map(lambda window: window)
    ),
    "generators with arguments": lambda: Dataset.range(7).flat_map(
        lambda x: Dataset.from_generator(drawn_of, NUMBER, args=(x,))
    ),
    "generators in turn": lambda: Dataset.range(7).interleave(
        lambda x: Dataset.from_generator(drawn_of, NUMBER, args=(x,)).map(lambda y: y + x), cycle_length=2
    ),
    "generators again": lambda: Dataset.range(5).interleave(
        lambda x: Dataset.from_generator(lambda: drawn_of(x), NUMBER).repeat(2), cycle_length=2
    ),
    "batches of what comes again": lambda: Dataset.zip(
        Dataset.range(20).shuffle(seed=3).repeat().batch(8).take(4), Dataset.range(9).repeat(5).batch(8)
    ),
    "items of Python's": lambda: Dataset.zip(
        numbers(30),
        Dataset.from_generator(drawn, NUMBER),
        Dataset.from_iterable([np.int64(4), np.int64(2)], NUMBER),
    ),
    "functions that hold data": lambda: Dataset.range(4).interleave(
        lambda x: Dataset.range(10, 16).map(lambda y: (x, y)).filter(lambda x, y: y > 10 + x),
        cycle_length=2,
        block_length=2,
    ),
    "several lengths": lambda: Dataset.range(7).interleave(
        lambda x: Dataset.range(10).take(x), cycle_length=3
    ),
    "orders in turn": lambda: (
        Dataset.from_tensor_slices(np.arange(20).reshape(5, 4))
        .shuffle(seed=1)
        .interleave(lambda x: Dataset.from_tensor_slices(x).shuffle(seed=1).repeat(2))
    ),
    "padded batches of any length": lambda: Dataset.zip(
        numbers(20), Dataset.range(1, 6).map(fill).padded_batch(2, padding_values=-1)
    ),
    "padded batches of Python's items": lambda: Dataset.from_generator(
        lengths, weft.TensorSpec([None], "int64")
    ).padded_batch(2),
}


@pytest.mark.filterwarnings("ignore:each item of this:weft.FallbackWarning")
@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_as_in_plain_python(name: str) -> None:
    plain, given = PROGRAMS[name](), PROGRAMS[name]()
    compiled = weft.function(digest)
    for _ in range(2):
        with mostly_interpreted(name):
            found = compiled(given)
        assert found == digest(plain)
    assert compiled.trace_count == 1


def test_the_text_of_places_that_take_turns_does_not_grow_with_them() -> None:
    def turns(cycle: int) -> Any:
        rows = Dataset.from_tensor_slices(np.arange(60).reshape(15, 4))
        return rows.interleave(Dataset.from_tensor_slices, cycle_length=cycle, block_length=3)

    def ops_of(cycle: int) -> int:
        return weft.function(digest).get_concrete_function(turns(cycle)).as_text("weft").count(" = ")

    assert ops_of(3) == ops_of(12)
    assert weft.function(digest)(turns(12)) == digest(turns(12))


def test_going_on_where_a_saved_walk_was(tmp_path: Any) -> None:
    def make() -> Any:
        slices = Dataset.from_tensor_slices(np.arange(12).reshape(3, 4)).shuffle(seed=1)
        return slices.interleave(lambda x: Dataset.from_tensor_slices(x).shuffle(seed=2), cycle_length=2)

    @weft.function
    def some(dataset: Any, most: Any) -> Any:
        found: Any = []
        for count, x in enumerate(dataset, 1):
            found.append(x)
            if count == most:
                break
        return found

    whole = make()
    epochs = [list(whole) for _ in range(3)]
    stopped = make()
    assert some(stopped, np.int64(99)) == epochs[0]
    assert some(stopped, np.int64(5)) == epochs[1][:5]
    weft.save_state({"data": stopped}, tmp_path / "state.npz")
    resumed = make()
    weft.load_state({"data": resumed}, tmp_path / "state.npz")
    assert some(resumed, np.int64(99)) == epochs[1][5:]
    assert some(resumed, np.int64(99)) == epochs[2]


@pytest.mark.filterwarnings("ignore:each item of this:weft.FallbackWarning")
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Dataset.range(1, 6).map(fill).filter(np.any).batch(2),
            "an element of this one has another shape than the first",
        ),
        (
            lambda: Dataset.from_generator(lengths, weft.TensorSpec([None], "int64")).batch(2),
            "has another shape than the first; padded_batch",
        ),
        (
            lambda: Dataset.range(1, 6).map(fill).padded_batch(2, 3),
            "has more entries along axis 0, and padded_shapes says 3",
        ),
        (
            lambda: Dataset.range(1, 40).interleave(lambda x: Dataset.from_generator(drawn_of, args=(x,))),
            "drawn_of makes items of arguments that are known when the program runs: .* output_signature",
        ),
        (
            lambda: Dataset.zip(
                numbers(9), Dataset.range(3).flat_map(lambda x: Dataset.from_generator(range, args=(x,)))
            ),
            "range has no items at its first arguments: .* output_signature",
        ),
        (
            lambda: Dataset.range(3).interleave(lambda x: x),
            "makes a data set",
        ),
    ],
)
def test_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError, weft.UnsupportedError), match=message):
        weft.function(digest)(make())


def test_a_body_that_cannot_be_compiled_is_refused() -> None:
    @weft.function
    def counted(dataset: Any) -> Any:
        count = 0
        for batch in dataset:
            count += int(as_it_is(batch))
        return count

    @weft.do_not_convert
    def as_it_is(batch: Any) -> int:
        return 1 if batch.sum() > 0 else 0

    with pytest.raises(weft.WeftError):  # and no loop over what the first trace has used up
        counted(Dataset.range(9).filter(odd).batch(2))


def test_full_batches_of_streams_have_known_sizes() -> None:
    @weft.function
    def counted(dataset: Any) -> Any:
        count = 0
        for batch in dataset:
            count += size_of(batch)
        return count

    @weft.do_not_convert
    def size_of(batch: Any) -> int:
        assert batch.shape == (4,)
        return len(batch)

    assert counted(Dataset.range(17).filter(odd).batch(4, drop_remainder=True)) == 8


@pytest.mark.filterwarnings("ignore:each item of this:weft.FallbackWarning")
def test_windows_that_take_turns_are_walked_by_the_program() -> None:
    def weighed(dataset: Any) -> Any:
        total = np.int64(0)
        for window in dataset:
            for x in window:
                total = total * 3 + x
        return total

    turns = Dataset.range(2, 5).interleave(
        lambda x: Dataset.from_generator(drawn_of, NUMBER, args=(x,)).window(2), cycle_length=2
    )
    compiled = weft.function(weighed)
    for _ in range(2):
        assert compiled(turns) == weighed(turns)


@pytest.mark.filterwarnings("ignore:each item of this:weft.FallbackWarning")
def test_generators_that_are_walked_at_once_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    from weft.frontend.data import cursors

    monkeypatch.setattr(cursors, "_MOST_AT_ONCE", 1)
    turns = Dataset.range(2, 9).interleave(
        lambda x: Dataset.from_generator(drawn_of, NUMBER, args=(x,)), cycle_length=2
    )
    with pytest.raises(ValueError, match="more walks of one drawn_of were begun at once than are kept"):
        weft.function(digest)(turns)
