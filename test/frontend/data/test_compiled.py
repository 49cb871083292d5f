"""Data sets in compiled functions: what the steps become there, and what is traced anew."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

Dataset = weft.data.Dataset


def digest(dataset: Any) -> Any:
    """Numbers that tell all elements, their shapes and their order."""
    count, total = 0, np.int64(7)
    for x in dataset:
        weights = np.arange(1, x.size + 1)
        total = (total * 31 + (x.reshape(-1) * weights).sum() + 7 * x.size + x.ndim) % 1000003
        count += 1
    return count, total


def digest_of_windows(dataset: Any) -> Any:
    count, total = 0, np.int64(7)
    for window in dataset:
        for x in window:
            total = (total * 31 + x) % 1000003
        count += 1
    return count, total


def fill(x: Any) -> Any:
    return np.full(x, x)


def counted() -> Any:
    for number in range(4):
        yield np.int64(number * 3)


def drawn() -> Any:
    draws = random.Random(3)  # nothing that compiled code has
    for _ in range(3):
        yield np.int64(draws.randint(0, 99))


PROGRAMS: dict[str, tuple[Callable[[Any], Any], Callable[[], Any]]] = {
    "padded_batch": (digest, lambda: Dataset.range(1, 6).map(fill).padded_batch(2, padded_shapes=5)),
    "flat_map": (
        digest,
        lambda: Dataset.from_tensor_slices([[1, 2], [4, 5]]).flat_map(Dataset.from_tensor_slices),
    ),
    "window": (digest_of_windows, lambda: Dataset.range(7).shuffle(seed=1).window(3, shift=2)),
    "windows in batches": (
        digest,
        lambda: Dataset.range(5).window(3, 1, 1, True).flat_map(lambda window: window.batch(3)),
    ),
    "cache": (digest, lambda: Dataset.range(8).map(lambda x: x * x).cache().shuffle(seed=1).batch(3)),
    "cache of a stream": (
        digest,
        lambda: Dataset.range(8).filter(lambda x: x > 2).shuffle(seed=1).cache().prefetch(),
    ),
    "batches of what comes again": (
        digest,
        lambda: (
            Dataset.from_tensor_slices(np.arange(14).reshape(7, 2)).shuffle(seed=1).repeat().batch(3).take(9)
        ),
    ),
    "generator": (digest, lambda: Dataset.from_generator(counted)),
    "generator with a signature": (
        digest,
        lambda: Dataset.from_generator(counted, output_signature=weft.TensorSpec((), "int64")),
    ),
    "generator of Python's": (digest, lambda: Dataset.from_generator(drawn)),
    "reduce": (
        lambda dataset: (0, dataset.reduce(np.int64(0), lambda total, x: total * 3 + x)),
        lambda: Dataset.range(5).batch(2).unbatch(),
    ),
    "builtins": (
        lambda dataset: (len(dataset), sum([i * x for i, x in enumerate(dataset)])),
        lambda: Dataset.range(5),
    ),
    "made inside": (
        lambda x: digest(Dataset.from_tensor_slices(x).shuffle(seed=1).batch(3)),
        lambda: np.arange(10),
    ),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:each item of this:weft.FallbackWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_as_in_plain_python(name: str) -> None:
    function, make = PROGRAMS[name]
    plain, given = make(), make()
    compiled = weft.function(function)
    for _ in range(2):
        assert compiled(given) == function(plain)
    assert compiled.trace_count == 1


def test_one_trace_for_functions_that_are_made_anew() -> None:
    @weft.function
    def of_kept(dataset: Any) -> Any:
        return digest(dataset)

    def made(first: int) -> Any:
        numbers = Dataset.from_tensor_slices(np.arange(first, first + 4))
        return Dataset.zip(numbers, Dataset.range(9)).map(lambda x, y: x * y)

    assert of_kept(made(2)) == digest(made(2))
    assert of_kept(made(3)) == digest(made(3))
    assert of_kept.trace_count == 1


def test_functions_that_read_what_is_around_them_are_not_one() -> None:
    @weft.function
    def of_scaled(dataset: Any) -> Any:
        return digest(dataset)

    for factor in (2, 3, 4):
        closing = Dataset.range(4).map(lambda x: x * factor)  # noqa: B023
        defaulting = Dataset.range(4).map(lambda x, factor=factor: x * factor)
        other = Dataset.range(4).map(lambda x: x * 5)
        assert of_scaled(closing) == digest(closing)
        assert of_scaled(defaulting) == digest(defaulting)
        assert of_scaled(other) == digest(other)


def test_one_trace_for_a_structure() -> None:
    def scaled(x: Any, y: Any) -> Any:
        return x.astype(np.float32) / np.float32(255), y

    def make(seed: int) -> Any:
        draws = np.random.default_rng(seed)
        pixels, labels = draws.integers(0, 255, (23, 3)).astype(np.uint8), draws.integers(0, 9, 23)
        return Dataset.from_tensor_slices((pixels, labels)).shuffle(seed=seed).batch(5).map(scaled)

    def total(dataset: Any) -> Any:
        found, count = np.zeros(3, np.float32), 0
        for x, y in dataset:
            found = found * np.float32(0.5) + (x * y[:, None]).sum(axis=0)
            count += len(y)
        return found, count

    compiled = weft.function(total)
    for seed in range(3):
        (found, count), (wanted, _) = compiled(make(seed)), total(make(seed))
        assert count == 23
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    assert compiled.trace_count == 1
    dataset = make(1)
    of_variable = weft.function(lambda: total(dataset))
    first, traces = of_variable()[0], of_variable.trace_count
    second = of_variable()[0]
    assert of_variable.trace_count == traces
    assert not np.array_equal(first, second)  # another order, and so another sum
    dataset = make(2)
    np.testing.assert_allclose(of_variable()[0], total(make(2))[0], rtol=1e-6)


def test_batches_have_known_sizes() -> None:
    extents: list[Any] = []

    @weft.function
    def walked(dataset: Any) -> Any:
        count = 0
        for x in dataset:
            shapes(x)
            count += 1
        return count

    @weft.do_not_convert
    def shapes(x: Any) -> None:
        extents.append(x.shape)

    assert walked(Dataset.from_tensor_slices(np.zeros((23, 2))).shuffle().batch(5)) == 5
    assert set(extents) == {(5, 2), (3, 2)}  # the last batch is a second copy of the body


@pytest.mark.parametrize(
    ("steps", "most"),
    [
        (lambda rows: rows.shuffle(seed=1).repeat().batch(8), 3),
        (lambda rows: rows.shuffle(seed=1).map(lambda x: x + 1).repeat().batch(8, drop_remainder=True), 6),
    ],
)
def test_how_often_a_loop_over_data_that_come_again_is_recorded(
    capsys: Any, steps: Callable[[Any], Any], most: int
) -> None:
    def total(dataset: Any, limit: Any) -> Any:
        found = 0
        for step, x in enumerate(dataset):
            weft.trace_print("recorded")
            found += (x * np.arange(8)).sum()
            if step == limit:
                break
        return found

    dataset = steps(Dataset.from_tensor_slices(np.arange(20)))
    compiled = weft.function(total)(dataset, np.int64(6))
    assert capsys.readouterr().out.count("recorded") <= most
    again = steps(Dataset.from_tensor_slices(np.arange(20)))
    assert compiled == total(again, 6)


def test_a_loop_goes_on_where_a_saved_one_was(tmp_path: Any) -> None:
    def make() -> Any:
        return Dataset.range(20).shuffle(seed=4).batch(3).map(lambda x: x * 2)

    whole = make()
    epochs = [[x.tolist() for x in whole] for _ in range(3)]

    @weft.function
    def some(dataset: Any, most: Any) -> Any:
        found: Any = []
        for count, x in enumerate(dataset, 1):
            found.append(x.sum())
            if count == most:
                break
        return found

    sums = [[sum(batch) for batch in epoch] for epoch in epochs]
    stopped = make()
    assert some(stopped, np.int64(9)) == sums[0]
    assert some(stopped, np.int64(2)) == sums[1][:2]
    weft.save_state({"data": stopped}, tmp_path / "state.npz")
    assert some(stopped, np.int64(2)) == sums[2][:2]  # without loading, each walk is another epoch
    for resumed in (make(), stopped):
        weft.load_state({"data": resumed}, tmp_path / "state.npz")
        assert some(resumed, np.int64(9)) == sums[1][2:]
        assert some(resumed, np.int64(9)) == sums[2]
    weft.load_state({"data": resumed}, tmp_path / "state.npz")
    assert [x.tolist() for x in resumed] == epochs[1][2:]
    assert [x.tolist() for x in resumed] == epochs[2]
    assert set(weft.state(resumed)) == {"progress", "seed.0"}


def test_streams_go_on_where_a_saved_one_was() -> None:
    def make() -> Any:
        numbers = Dataset.range(7).shuffle(seed=1).repeat(3).filter(lambda x: x % 3 > 0)
        return Dataset.zip(numbers.enumerate(), Dataset.range(100)).batch(2).skip(1).take(5)

    def flat(element: Any) -> Any:
        (number, x), other = element
        return [number.tolist(), x.tolist(), other.tolist()]

    wanted = [flat(element) for element in make()]
    for count in range(len(wanted)):
        stopped, resumed = make(), make()
        for number, _ in enumerate(stopped, 1):
            if number >= count:
                break
        weft.load_state(resumed, {name: array.copy() for name, array in weft.state(stopped).items()})
        assert [flat(element) for element in resumed] == wanted[max(count, 1) :]


def test_other_processes_find_what_was_compiled(tmp_path: Any) -> None:
    program = tmp_path / "program.py"
    program.write_text(STORED, encoding="utf-8")
    environment = {
        **os.environ,
        "WEFT_CACHE": "1",
        "WEFT_CACHE_DIR": str(tmp_path),
        "WEFT_LOG": "cache",
    }
    for said in ("weft.cache: stored total", "weft.cache: found total"):
        run = subprocess.run(
            [sys.executable, program],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        assert said in run.stderr
        assert run.stdout == "45\n"


STORED = """
import numpy as np
import weft

def same(x):
    return x

@weft.function
def total(dataset):
    found = 0
    for x in dataset:
        found += x.sum()
    return found

print(total(weft.data.Dataset.from_tensor_slices(np.arange(10)).shuffle(seed=1).batch(3).map(same)))
"""
