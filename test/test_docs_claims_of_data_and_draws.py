"""What the pages on data sets and random numbers say in sentences, tried."""

from __future__ import annotations

import functools
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft
from support.claims import Claims, refused, require

CLAIMS = Claims()
claim = CLAIMS.claim
Dataset = weft.data.Dataset
NUMBERS = Dataset.range(9)


def items() -> Iterator[Any]:
    for number in range(5):
        yield np.full(2, number)


def sums(dataset: Any) -> Any:
    found = []
    for x in dataset:
        found.append(x.sum())
    return found


def walked(function: Any, *arguments: Any) -> Any:
    """What a compiled function gives, without the warning that each item is asked of Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", weft.FallbackWarning)
        return weft.function(function)(*arguments)


@claim("data.md", "functions get the parts of a tuple as their arguments")
def _() -> None:
    pairs = Dataset.zip(NUMBERS, NUMBERS).map(lambda x, y: x + 10 * y)
    assert list(pairs) == weft.function(sums)(pairs) == [11 * x for x in range(9)]


@claim("data.md", "Arguments that tune tf's threads (`num_parallel_calls`, `deterministic`) change nothing")
def _() -> None:
    tuned = NUMBERS.map(lambda x: x, num_parallel_calls=weft.data.AUTOTUNE, deterministic=False)
    assert list(tuned.batch(2, num_parallel_calls=3).unbatch()) == list(range(9))


@claim("data.md", "Without a size, or with one that holds all of them, any permutation may come")
def _() -> None:
    for sizes in ((), (3,), (100,)):
        orders = {tuple(Dataset.range(3).shuffle(*sizes, seed=seed)) for seed in range(60)}
        assert len(orders) == 6


@claim("data.md", "the last batch has a size that the run knows")
def _() -> None:
    stream = NUMBERS.filter(lambda x: x > 1).batch(4)
    assert walked(lambda d: [len(x) for x in d], stream) == [4, 3]


@claim("data.md", "In compiled code it does nothing")
def _() -> None:
    with_it, without = (
        weft.function(sums).get_concrete_function(d).as_text("weft") for d in (NUMBERS.prefetch(2), NUMBERS)
    )
    assert with_it.splitlines()[1:] == without.splitlines()[1:]


@claim("data.md", "other functions in `map` and `filter` do")
def _() -> None:
    compiled = weft.function(sums)
    for factor in (2, 3):
        assert compiled(NUMBERS.map(lambda x: x * factor)) == [factor * x for x in range(9)]  # noqa: B023
    assert compiled(NUMBERS.map(lambda x: x - 1)) == list(range(-1, 8))


@claim(
    "data.md",
    "The data sets of one `interleave` have one structure: the same steps, of other numbers and arrays",
)
def _() -> None:
    def either(x: Any) -> Any:
        return NUMBERS if x > 1 else NUMBERS.map(lambda y: y)

    refused(sums, Dataset.range(3).interleave(either))


@claim("data.md", "Without loading each walk begins a new epoch, also behind a loop that was left by `break`")
def _() -> None:
    def make() -> Any:
        return Dataset.range(20).shuffle(seed=1)

    whole, left = make(), make()
    epochs = [list(whole), list(whole)]
    assert next(iter(left)) == epochs[0][0]
    assert list(left) == epochs[1]


@claim("data.md", "It is asked for while the function is traced, and is the first item of the loop")
def _() -> None:
    assert walked(sums, items()) == [0, 2, 4, 6, 8]


@claim("data.md", "An item that differs is a `TypeError` which names the item, and the array in it")
def _() -> None:
    with pytest.raises(TypeError, match=r"item 1 .*\[0\]"):
        walked(lambda d: sum([x.sum() for x, _ in d]), iter([(np.ones(2), 1), (np.ones(3), 1)]))


@claim(
    "data.md", 'Where extents vary, `from_iterable(items, weft.TensorSpec([None, 64], "float32"))` says so'
)
def _() -> None:
    lengths = Dataset.from_iterable([np.ones(2), np.ones(3)], weft.TensorSpec([None], "float64"))
    assert walked(sums, lengths) == [2, 3]


@claim("data.md", "An iterator that is at its end gives no items")
def _() -> None:
    def twice(source: Any) -> Any:
        return sums(source), sums(source)

    assert walked(twice, items()) == ([0, 2, 4, 6, 8], [])


@claim("data.md", "`break` leaves an iterator where it is, and `next(iterator)` takes one item")
def _() -> None:
    def some(source: Any) -> Any:
        first = next(source).sum()
        for x in source:
            if x[0] > 1:
                break
        return first, sums(source)

    assert walked(some, items()) == (0, [6, 8])


@claim("data.md", "`zip` takes one of them, beside arrays, lists and ranges, and is not `strict` then")
def _() -> None:
    def pairs(a: Any, *others: Any) -> Any:
        return [x[0] + y for x, y in zip(a, *others)]  # noqa: B905

    def strictly(a: Any, b: Any) -> Any:
        return [x[0] + y for x, y in zip(a, b, strict=True)]

    assert walked(pairs, items(), [1, 2, 3]) == [1, 3, 5]
    for program, other in ((pairs, items()), (strictly, [1, 2, 3, 4, 5])):
        with pytest.raises(weft.UnsupportedError, match="walk it by a `for` statement"):
            walked(program, items(), other)


@claim("data.md", "A generator *function* that is called in compiled code is compiled into the loop")
def _() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert weft.function(lambda: sums(items()))() == [0, 2, 4, 6, 8]
        assert weft.function(sums)(Dataset.from_generator(items)) == [0, 2, 4, 6, 8]


@claim("data.md", "With an `output_signature`, Python runs it")
def _() -> None:
    signature = weft.TensorSpec([2], "int64")
    with pytest.warns(weft.FallbackWarning):
        weft.function(sums)(Dataset.from_generator(items, signature))


@claim("data.md", "`cache(filename)`, `snapshot`, `bucket_by_sequence_length`")
def _() -> None:
    with pytest.raises(TypeError):
        NUMBERS.cache("file")  # type: ignore[call-arg]
    assert not hasattr(NUMBERS, "snapshot")
    assert not hasattr(NUMBERS, "bucket_by_sequence_length")


@claim("random.md", "One generator in two places is one")
def _() -> None:
    def drawn(a: Any, b: Any) -> Any:
        return a.random() + 10 * b.random(), a.random()

    compiled = weft.function(drawn)
    for seed in range(2):
        one, other = np.random.default_rng(seed), np.random.default_rng(seed)
        assert compiled(one, one) == drawn(other, other)


@claim("random.md", "the\n  generator moves on once, whatever is differentiated")
def _() -> None:
    rng, other = np.random.default_rng(1), np.random.default_rng(1)
    gradient = weft.grad(lambda x: np.sum(x * rng.standard_normal(3)))(np.ones(3))
    np.testing.assert_array_equal(gradient, other.standard_normal(3))
    assert rng.bit_generator.state == other.bit_generator.state


@claim("random.md", "its size may be known at run time only")
def _() -> None:
    rng, other = np.random.default_rng(1), np.random.default_rng(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", weft.FallbackWarning)
        drawn = weft.function(lambda x: rng.gamma(2.0, size=np.count_nonzero(x)))
        for values in ([1, 0, 1], [1, 1, 1], [0, 0, 0]):
            np.testing.assert_array_equal(drawn(np.array(values)), other.gamma(2.0, size=sum(values)))
    assert drawn.trace_count == 1


@claim("random.md", "A `RandomState` or `random.Random` may be made by the function itself")
def _() -> None:
    def drawn(seed: Any) -> Any:
        return np.random.RandomState(int(seed)).rand(), random.Random(int(seed)).random()

    compiled = weft.function(drawn)
    assert compiled(np.int64(3)) == compiled(np.int64(3)) == drawn(3)
    refused(lambda x: np.random.RandomState(int(x)).get_state(), np.int64(3))


@claim("random.md", "`np.random.seed(3)` and `random.seed(3)` seed\nwhen the program runs")
def _() -> None:
    @weft.function
    def seeded() -> Any:
        np.random.seed(3)
        random.seed(3)
        return np.random.rand(), random.random()

    assert seeded() == seeded() == seeded.python_function()


@claim("random.md", "In a loop such a generator begins again each time, as in Python")
def _() -> None:
    def repeated(seed: Any, n: Any) -> Any:
        found = 0.0
        for _ in range(n):
            found = found * 10 + np.random.default_rng(seed).integers(9)
        return found

    assert weft.function(repeated)(np.int64(3), np.int64(4)) == repeated(3, 4)


@claim(
    "random.md",
    "**A generator that a branch makes** cannot be used behind the branch; make both, and choose one",
)
def _() -> None:
    def made(x: Any) -> Any:
        rng = np.random.default_rng(1) if x > 0 else np.random.default_rng(2)
        return rng.random()

    def chosen(x: Any) -> Any:
        first, second = np.random.default_rng(1), np.random.default_rng(2)
        rng = first if x > 0 else second
        return rng.random()

    refused(made, np.float64(1))
    for x in (1.0, -1.0):
        assert weft.function(chosen)(np.float64(x)) == chosen(x)


@claim("random.md", "**`bytes`, `spawn` and `bit_generator`** are refused in compiled code")
def _() -> None:
    for name in ("bytes(3)", "spawn(2)", "bit_generator"):
        with pytest.raises(weft.WeftError):
            weft.function(eval(f"lambda rng: rng.{name}"))(np.random.default_rng(1))


@claim("random.md", "and so is a draw in a function under `functools.cache`")
def _() -> None:
    rng = np.random.default_rng(1)
    refused(functools.cache(lambda: rng.random()))


@claim(
    "random.md",
    "with `autograph=False`, and in functions under `weft.do_not_convert`, generators are arguments",
)
def _() -> None:
    rng, given, other = (np.random.default_rng(1) for _ in range(3))
    drawn = weft.do_not_convert(lambda generator: generator.random())
    assert weft.function(lambda g: g.random(), autograph=False)(given) == other.random()
    assert weft.function(lambda g: drawn(g))(given) == other.random()
    refused(lambda: rng.random(), autograph=False)
    refused(lambda: drawn(rng))


@pytest.mark.parametrize(("page", "words", "tried"), CLAIMS.parameters())
def test_what_a_page_says_is_so(page: str, words: str, tried: Callable[[], None]) -> None:
    require(page, words)
    tried()
