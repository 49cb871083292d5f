"""`np.random.RandomState` and `random.Random` that compiled functions make: the numbers are NumPy's and Python's."""

from __future__ import annotations

import copy
import numbers
import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.reference import interpreting

OUTSIDE = np.random.RandomState(11)


def of_numpy(n: Any) -> Any:
    rng, x = np.random.RandomState(3), np.arange(6.0) + n
    names = ["a", "b", "c"]
    rng.shuffle(names)
    rng.shuffle(x)
    return (
        rng.rand(),
        rng.randn(3),
        rng.normal(x.sum(), 2.0, (2, 3)),
        rng.uniform(x),
        rng.randint(0, 10, 4),
        rng.randint(0, 255, 5, dtype=np.uint8),
        rng.randint(0, x[x > 2].astype(int)),
        rng.permutation(5),
        rng.choice(x, 3),
        rng.choice(3, 5, p=[0.2, 0.3, 0.5]),
        rng.standard_exponential(2),
        rng.standard_normal(int(n)),
        rng.binomial(5, 0.5),
        rng.poisson(3.0, 2),
        rng.gamma(2.0),
        rng.laplace(),
        names,
        x,
        rng.randn(),
    )


def of_python(n: Any) -> Any:
    rng, items = random.Random(n), [1, 2, 3, 4]
    rng.shuffle(items)
    grown = [rng.randint(0, i + 1) for i in range(n)]
    rng.shuffle(grown)
    return (
        rng.random(),
        [rng.gauss(0, 1), rng.gauss(0, 1), rng.gauss(1, 2)],
        rng.choice(items),
        rng.choice("abc"),
        rng.sample(range(100), 5),
        rng.sample(range(1000), 6),
        rng.choices([1, 2, 3], k=3),
        rng.choices([1, 2], [0.2, 0.3], k=3),
        rng.uniform(1, 2),
        rng.normalvariate(),
        rng.expovariate(2.0),
        rng.getrandbits(5),
        rng.randrange(2, 90, 3),
        rng.triangular(),
        items,
        grown,
        sorted([3, 1, 2], key=lambda _: rng.random()),
        rng.random(),
    )


def seeds(n: Any) -> Any:
    rng = random.Random(n)
    rng.seed(5)
    legacy = np.random.RandomState(n)
    legacy.randn()
    legacy.seed(int(n) + 1)  # forgets the spare number
    return (
        rng.random(),
        random.Random(2.5).random(),
        random.Random("abc").random(),
        legacy.randn(3),
        np.random.RandomState([1, 2, 3]).rand(),
        np.random.RandomState(np.arange(n)).rand(),
        np.random.RandomState(seed=3).rand(),
    )


def in_loops(n: Any) -> Any:
    rng, total, drawn = np.random.RandomState(n), 0.0, []
    for i in range(n):
        total += np.random.RandomState(7).rand() + rng.rand()  # begins again, and goes on
        if total > 2:
            total -= np.random.RandomState(i).rand()
        else:
            total += rng.normal()
    while rng.rand() < 0.9:
        total += 1
    other = random.Random(1)
    for i in range(n):
        if i % 2:
            other = random.Random(i)
        drawn.append(other.random())
    return total, rng.rand(), [rng.rand() for _ in range(n)], rng.rand(int(n)), drawn


def deep(rng: Any, n: Any) -> Any:
    return rng.rand() if n <= 0 else rng.rand() + deep(rng, n - 1)


def deep_made(n: Any) -> Any:
    return np.random.RandomState(3).rand() + (0.0 if n <= 0 else deep_made(n - 1))


def chosen(n: Any) -> Any:
    one, other, rng = np.random.RandomState(0), np.random.RandomState(1), None
    either, outside = (one, OUTSIDE) if n > 1 else (other, one)
    either.rand()
    if n > 3:
        rng = np.random.RandomState(n)
    late = 0.0 if rng is None else rng.rand()
    total = deep(one, n) + deep_made(n)
    return one.rand(), other.rand(), either.rand(), [one, other][n % 2].rand(), late, outside.rand(), total


def is_what(n: Any) -> Any:
    rng, python = np.random.RandomState(n), random.Random(n)
    same, deep_copy, shallow = rng, copy.deepcopy(rng), copy.copy(python)
    first = rng.rand(), python.random()
    try:
        first = rng.rand(), 0.0
        if n > 1:
            raise ValueError
    except ValueError:
        first = rng.rand(), 1.0
    return (
        first,
        deep_copy.rand(),
        shallow.random(),
        same is rng,
        deep_copy is rng,
        isinstance(rng, np.random.RandomState),
        isinstance(python, random.Random),
        isinstance(python, np.random.RandomState),
        type(rng) is np.random.RandomState,
        str(rng),
        [type(rng.rand()), type(rng.randint(3)), type(rng.gamma(1.0)), type(rng.choice(3))],
    )


def check_random_state(seed: Any) -> Any:
    if seed is None or seed is np.random:
        return np.random.mtrand._rand
    if isinstance(seed, numbers.Integral):
        return np.random.RandomState(seed)  # type: ignore[arg-type]
    if isinstance(seed, np.random.RandomState):
        return seed
    raise ValueError(seed)


class Clusters:
    def __init__(self, count: int, seed: Any) -> None:
        self.count, self.rng = count, check_random_state(seed)

    def fit(self, points: Any) -> Clusters:
        self.centres = points[self.rng.permutation(points.shape[0])[: self.count]]
        self.noise = check_random_state(self.rng).rand()
        return self


def estimators(n: Any) -> Any:
    points = np.arange(40.0).reshape(10, 4) * n
    found, several = Clusters(3, 4).fit(points), [Clusters(2, i) for i in range(3)]
    total = 0.0
    for i in range(n):
        total += several[i % 3].fit(points).noise
    return found.centres, found.noise, several[1].rng.rand(), total


PROGRAMS = [of_numpy, of_python, seeds, in_loops, chosen, is_what, estimators]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_programs(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    for n in (4, 1, 4):
        OUTSIDE.seed(n)
        expected = repr(program(n))
        OUTSIDE.seed(n)
        assert repr(compiled(n)) == expected


def test_the_interpreter_draws_the_same() -> None:
    def program(n: Any) -> Any:
        rng, python = np.random.RandomState(n), random.Random(3)
        return (
            rng.randn(3),
            rng.randint(5, size=2),
            rng.permutation(4),
            python.gauss(0, 1),
            python.gauss(0, 1),
        )

    with interpreting("weft"):
        assert repr(weft.function(program)(5)) == repr(program(5))


def test_integers_below_bounds_of_which_only_the_program_knows_how_many() -> None:
    def drawn(x: Any) -> Any:
        bounds = x[x > 1].astype(int)
        return (
            np.random.randint(0, bounds),
            np.random.randint(bounds - 1, bounds),
            np.random.binomial(bounds, 0.5),
        )

    np.random.seed(3)
    expected = repr(drawn(np.arange(6.0)))
    np.random.seed(3)
    assert repr(weft.function(drawn)(np.arange(6.0))) == expected


def test_without_a_seed_each_call_has_another_one() -> None:
    for draw in (lambda: np.random.RandomState().rand(), lambda: random.Random().random()):
        compiled = weft.function(draw)
        assert compiled() != compiled()


def test_threads_draw_of_their_own() -> None:
    def total(n: Any) -> Any:
        rng, found = np.random.RandomState(n), 0.0
        for _ in range(200):
            found += rng.normal()
        return found

    compiled, found = weft.function(total), {}

    def run(first: int) -> None:
        found.update({n: compiled(n) for n in range(first, first + 40)})

    threads = [threading.Thread(target=run, args=(100 * number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: total(n) for n in found}
    assert len(found) == 120


class Kept:
    first: Any = None
    second: Any = None

    @weft.function
    def draw(self) -> Any:
        if self.first is None:
            self.first = np.random.RandomState(3)
        return self.first.randn()


def test_what_is_stored_or_returned_goes_on_and_is_one_object() -> None:
    kept, expected = Kept(), np.random.RandomState(3)
    assert [kept.draw() for _ in range(4)] == [expected.randn() for _ in range(4)]

    listed: list[Any] = []

    @weft.function
    def make(n: Any) -> Any:
        kept.first = random.Random(n)
        kept.second = kept.first
        listed.append(np.random.RandomState(n))
        return kept.first.gauss(0, 1), kept.first, [kept.first], np.random.default_rng(n), listed[-1].rand()

    drawn, returned, (again,), _, number = make(7)
    python, legacy = random.Random(7), np.random.RandomState(7)
    assert kept.first is kept.second is returned is again
    assert type(returned) is random.Random
    assert [drawn, again.gauss(0, 1)] == [python.gauss(0, 1), python.gauss(0, 1)]
    assert [number, listed[0].rand()] == [legacy.rand(), legacy.rand()]


@pytest.mark.parametrize("make", [np.random.default_rng, random.Random])
def test_a_generator_that_is_returned_twice_is_one_object(make: Any) -> None:
    @weft.function
    def twice(n: Any) -> Any:
        one = other = make(3)
        for i in range(n):
            if i % 2:
                one.random()
            other = one
        return one, [other]

    one, (other,) = twice(3)
    assert one is other


def test_errors_are_those_of_numpy_and_python() -> None:
    programs = [
        lambda n: np.random.RandomState(-n),
        lambda n: np.random.RandomState(-1),
        lambda n: random.Random([n]),  # type: ignore[arg-type]
        lambda n: np.random.RandomState(3).rund(),  # type: ignore[attr-defined]
        lambda n: np.random.RandomState(3).choice(0),
    ]
    for program in programs:
        with pytest.raises(Exception) as expected:  # noqa: PT011
            program(3)
        with pytest.raises(expected.type) as found:
            weft.function(program)(3)
        assert str(found.value).startswith(str(expected.value).splitlines()[0])


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (
            lambda: copy.copy(np.random.RandomState(3)).rand(),
            "copy.copy.. of a numpy.random.RandomState .*deepcopy",
        ),
        (lambda: np.random.RandomState(3).get_state(), "get_state of random numbers gives no array"),
        (lambda: np.random.RandomState(3).bytes(3), "bytes of a random generator is not known"),
        (lambda: setattr(random.Random(3), "x", 1), "the attribute x of a random.Random .* is set"),
        (
            lambda: np.random.default_rng(np.random.RandomState(3)),
            "a random generator is passed to a function",
        ),
        (lambda: random.Random(3).shuffle(np.arange(3)), "shuffles a TracedArray: shuffle a list"),  # type: ignore[arg-type]
        (
            lambda: np.random.RandomState(np.random.PCG64(3)),
            "RandomState.. of another generator is not known",
        ),
    ],
)
def test_what_is_refused(program: Callable[..., Any], message: str) -> None:
    with pytest.raises(weft.UnsupportedError, match=message):
        weft.function(program)()
