"""Every method of a generator gives NumPy's numbers, types and exceptions, and leaves NumPy's state behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft


def floats(rng: Any, x: Any) -> Any:
    first = rng.standard_normal(4), rng.standard_normal(), rng.standard_normal((2, 3), dtype="f4")
    second = rng.standard_exponential(4), rng.standard_exponential(dtype=np.float32), rng.random(0)
    third = rng.standard_exponential(3, method="inv"), rng.standard_exponential(3, np.float32, "inv")
    return first, second, third


def parameters(rng: Any, x: Any) -> Any:
    uniform = rng.uniform(1, 2), rng.uniform(-x - 1), rng.uniform(-1, x, (2, 3, 4)), rng.uniform(size=3)
    normal = rng.normal(1, 2), rng.normal(x), rng.normal(x, x, (2, 3, 4)), rng.normal(size=3)
    return uniform, normal, rng.exponential(x), rng.exponential(2.0, 3), rng.exponential()


def integers(rng: Any, x: Any) -> Any:
    n = x.astype(np.int64)[1, 1]
    scalars = rng.integers(10), rng.integers(1, n), rng.integers(2, dtype=int), rng.integers(2, dtype=bool)
    sized = rng.integers(n, size=(2, 3)), rng.integers(0, 5, n), rng.integers(5, dtype=np.uint8, size=7)
    wide = rng.integers(0, 2**63, size=3, dtype=np.uint64), rng.integers(-(2**63), 2**63, size=3)
    arrays = rng.integers([1, 5, 7], 10), rng.integers([[1], [3]], [10, 20, 30], dtype="i2")
    return scalars, sized, wide, arrays, rng.integers(x.astype("i4").ravel() + 1)


def arrangements(rng: Any, x: Any) -> Any:
    permutations = (
        rng.permutation(7),
        rng.permutation(x),
        rng.permutation(x, axis=1),
        rng.permutation([3, 1, 2]),
    )
    rng.shuffle(x)
    rng.shuffle(x, axis=1)
    names = ["a", "b", "c", "d"]
    rng.shuffle(names)
    permuted = rng.permuted(x), rng.permuted(x, axis=0), rng.permuted(x, axis=1, out=x)
    return permutations, names, permuted


def choices(rng: Any, x: Any) -> Any:
    of_numbers = rng.choice(5), rng.choice(5, 3), rng.choice(5, (2, 2), replace=False)
    of_arrays = rng.choice(x.ravel(), 4), rng.choice(x, 2, axis=1, replace=False), rng.choice(x.ravel())
    by_probability = rng.choice(3, 5, p=[0.2, 0.3, 0.5]), rng.choice(3, 2, replace=False, p=[0.2, 0.3, 0.5])
    return of_numbers, of_arrays, by_probability


def called_by_python(rng: Any, x: Any) -> Any:
    gamma = rng.gamma(2.0), rng.gamma(2.0, size=3), rng.gamma(x + 1)
    counts = rng.poisson(x), rng.binomial(10, 0.5, size=4), rng.multinomial(5, [0.2, 0.8])
    return gamma, rng.random(), counts, rng.dirichlet([1.0, 2.0]), rng.random()


def run_time_sizes(rng: Any, x: Any) -> Any:
    n = x.astype(np.int64)[1, 1]
    return (
        rng.random(n),
        rng.random((n, 2)),
        rng.normal(size=n),
        rng.permutation(n),
        rng.choice(n),
        rng.choice(10, n),
    )


def outputs(rng: Any, x: Any) -> Any:
    rng.random(out=x)
    x += 1
    rng.standard_normal(out=x)
    return rng.random((3, 4), out=x)


def array() -> np.ndarray[Any, Any]:
    return np.arange(12.0).reshape(3, 4)


def assert_same(computed: Any, expected: Any) -> None:
    assert type(computed) is type(expected)
    if isinstance(expected, (tuple, list)):
        assert len(computed) == len(expected)
        for one, other in zip(computed, expected, strict=True):
            assert_same(one, other)
    else:
        one, other = np.asarray(computed), np.asarray(expected)
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


PROGRAMS = [
    floats, parameters, integers, arrangements, choices, called_by_python, run_time_sizes, outputs,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_methods_give_what_numpy_gives(program: Callable[..., Any]) -> None:
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    compiled = weft.function(program)
    for _ in range(2):
        given, kept = array(), array()
        assert_same(compiled(one, given), program(other, kept))
        assert_same(given, kept)
        assert str(one.bit_generator.state) == str(other.bit_generator.state)


WRONG: list[Callable[..., Any]] = [
    lambda rng, x: rng.normal(0, -1),
    lambda rng, x: rng.normal(0, -x),
    lambda rng, x: rng.uniform(1, np.inf),
    lambda rng, x: rng.uniform(1, 0),
    lambda rng, x: rng.integers(5, 3),
    lambda rng, x: rng.integers(0),
    lambda rng, x: rng.integers(x.astype(int)[0, 0]),
    lambda rng, x: rng.integers(x.astype(int)[1, 1], 3),
    lambda rng, x: rng.integers(300, dtype=np.uint8),
    lambda rng, x: rng.integers(x.astype(int) + 300, dtype=np.uint8),
    lambda rng, x: rng.integers(3, dtype=np.float64),
    lambda rng, x: rng.random(-1),
    lambda rng, x: rng.random(x.astype(int)[0, 1] - 9),
    lambda rng, x: rng.random(3, dtype=np.int32),
    lambda rng, x: rng.random(3, out=x),
    lambda rng, x: rng.random(out=x.astype("f4")),
    lambda rng, x: rng.random(out=x[:, ::2]),
    lambda rng, x: rng.choice(3, 5, p=[0.2, 0.3, 0.6]),
    lambda rng, x: rng.choice(3, 5, replace=False),
    lambda rng, x: rng.choice(x.astype(int)[0, 0]),
    lambda rng, x: rng.choice(1.5),
    lambda rng, x: rng.permuted(x, out=x[0]),
    lambda rng, x: rng.gamma(-x),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_arguments_raise_what_numpy_raises(number: int) -> None:
    program = WRONG[number]
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    with pytest.raises((ValueError, TypeError, OverflowError)) as expected:
        program(other, array())
    with pytest.raises(expected.type) as caught:
        weft.function(program)(one, array())
    assert str(caught.value).startswith(str(expected.value))
    assert str(one.bit_generator.state) == str(other.bit_generator.state)


def test_python_draws_as_many_as_the_program_knows_then() -> None:
    one, other = np.random.default_rng(0), np.random.default_rng(0)
    drawn = weft.function(lambda rng, n: rng.gamma(1.0, size=n))(one, np.int64(3))
    np.testing.assert_array_equal(drawn, other.gamma(1.0, size=3))
    assert str(one.bit_generator.state) == str(other.bit_generator.state)


@pytest.mark.parametrize("name", ["bytes", "spawn", "bit_generator"])
def test_what_is_no_draw_is_refused(name: str) -> None:
    with pytest.raises(weft.UnsupportedError, match=f"{name} of a random generator"):
        weft.function(lambda rng: getattr(rng, name))(np.random.default_rng(0))


@pytest.mark.parametrize("size", ["a", 2.5, (2, 2.5), {}])
def test_a_size_that_is_no_integer_is_a_type_error(size: Any) -> None:
    with pytest.raises(TypeError):
        np.random.default_rng(0).random(size)
    with pytest.raises(weft.WeftTypeError, match="size is an integer, or several of them, not ") as caught:
        weft.function(lambda rng: rng.random(size))(np.random.default_rng(0))
    assert "rng.random(size)" in str(caught.value)


def test_an_unknown_method_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="normals"):
        weft.function(lambda rng: rng.normals(3))(np.random.default_rng(0))


FILLED = np.zeros(3)
OTHER = np.random.Generator(np.random.SFC64(4))


def test_out_tells_how_many_numbers_python_draws() -> None:
    def program(rng: Any, x: Any) -> Any:
        rng.standard_gamma(1.0, out=x)
        rng.standard_gamma(2.0, None, np.float64, FILLED)
        other = np.zeros((2, 2), np.float32)
        OTHER.random(None, np.float32, other)
        return x + FILLED, other, OTHER.permuted(x, out=x), x

    state = OTHER.bit_generator.state
    got = weft.function(program)(np.random.default_rng(0), np.zeros(3))
    filled, OTHER.bit_generator.state = FILLED.copy(), state
    for one, other in zip(got, program(np.random.default_rng(0), np.zeros(3)), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(filled, FILLED)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, x: rng.standard_gamma(2.0, 4, np.float64, x),
        lambda rng, x: rng.standard_gamma(2.0, dtype=np.float32, out=x),
        lambda rng, x: rng.standard_gamma(2.0, out=x[::2]),
        lambda rng, x: rng.standard_gamma(2.0, out=[0.0, 0.0]),
    ],
    ids=["size", "dtype", "strides", "list"],
)
def test_out_of_what_python_draws_is_checked_as_numpy_does(draw: Any) -> None:
    with pytest.raises((ValueError, TypeError)) as expected:
        draw(np.random.default_rng(0), np.zeros(3))
    with pytest.raises(type(expected.value)):
        weft.function(draw)(np.random.default_rng(0), np.zeros(3))


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.random(3, dtype="i4"),
        lambda rng: rng.standard_normal(3, dtype="f2"),
        lambda rng: rng.integers(3, dtype="f4"),
        lambda rng: rng.random(out=[1.0]),
        lambda rng: rng.random(out=np.zeros((4, 4))[:, ::2]),
        lambda rng: rng.random(out=np.zeros(3, np.float32)),
        lambda rng: rng.random(3, out=np.zeros(2)),
        lambda rng: rng.standard_gamma(1.0, out=np.zeros((4, 4))[:, ::2]),
        lambda rng: rng.choice(3, p=np.ones((3, 1))),
        lambda rng: rng.shuffle([1, 2], axis=1),
    ],
)
def test_mistakes_have_the_messages_of_numpy(draw: Callable[..., Any]) -> None:
    with pytest.raises((ValueError, TypeError, NotImplementedError)) as expected:
        draw(np.random.default_rng(0))
    with pytest.raises(type(expected.value)) as raised:
        weft.function(draw)(np.random.default_rng(0))
    assert str(raised.value).splitlines()[0] == str(expected.value)
