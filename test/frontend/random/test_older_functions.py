"""The functions of `np.random` and of Python's `random`: native code draws of their own states, to the bit."""

from __future__ import annotations

import ctypes
import random
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.reference import interpreting
from weft.backend.cpu.random_numbers import numpys_distributions
from weft.frontend.random.twister import home_of, lock_word

LEGACY = np.random.RandomState(4)
PYTHON = random.Random(4)


def begin_again() -> None:
    for owner in (LEGACY, PYTHON, np.random, random):
        owner.seed(4)  # type: ignore[attr-defined]


def states() -> Any:
    return repr((np.random.get_state(), LEGACY.get_state(), PYTHON.getstate(), random.getstate()))


def floats(x: Any) -> Any:
    return (
        np.random.rand(),
        np.random.rand(0, 3),
        np.random.randn(3),
        np.random.normal(x.sum(), 2.0, (2, 3)),
        np.random.uniform(5, 1),
        np.random.uniform(x, 9.0),
        np.random.exponential(3.0),
        np.random.standard_exponential(4),
        np.random.random_sample((2, 2)),
        LEGACY.standard_normal(),
        LEGACY.normal(size=3),
        np.random.binomial(5, 0.5),
        np.random.randn(),
    )


def integers(x: Any) -> Any:
    return (
        np.random.randint(0, 10, 4),
        np.random.randint(7),
        np.random.randint(5, 6, 2),
        np.random.randint(0, 255, 5, dtype=np.uint8),
        np.random.randint(0, 256, 7, np.uint8),
        np.random.randint(-3, 2**40),
        np.random.randint(0, 2**32),
        np.random.randint(-(2**63), 2**63 - 1),
        np.random.randint(0, 2, 9, dtype=bool),
        np.random.randint(3, 9, 3, np.int16),
        np.random.randint(0, 2**31, 3, np.int32),
        np.random.randint(np.int64(x[3]), np.int64(x[5])),
        np.random.randint([1, 2], [5, 9]),
        np.random.randint([1, 2, -(2**63)], [2, 2**40, 2**63 - 1], (2, 3)),
        np.random.randint(0, np.arange(1, 7), dtype=np.uint8),
        np.random.randint(x.astype(int), 9, (2, 6), np.int16),
        np.random.randint([[0], [5]], [2**31 - 1, 7], dtype=np.int32),
        np.random.randint(0, [1, 2, 2, 1, 2, 2, 2], dtype=bool),
        np.random.randint([3]),
    )


def choices(x: Any) -> Any:
    np.random.shuffle(x)
    names = ["a", "b", "c"]
    np.random.shuffle(names)
    return (
        np.random.choice(5),
        np.random.choice(x, 3),
        np.random.choice(6, 3, replace=False),
        np.random.choice(3, 5, p=[0.2, 0.3, 0.5]),
        np.random.choice(x),
        np.random.permutation(10),
        np.random.permutation(x),
        np.random.permutation(x.reshape(2, 3)),
        names,
        x,
    )


def pythons(x: Any) -> Any:
    items = [1, 2, 3, 4, 5]
    random.shuffle(items)
    return (
        random.random(),
        random.randint(1, 6),
        random.uniform(x[1], 3),
        random.randrange(10),
        random.randrange(3, 2**45),
        random.randrange(2, 9, 3),
        random.choice(["a", "b"]),
        random.choice(x),
        items,
        random.gauss(0, 1),
        random.normalvariate(1, 2),
        random.expovariate(2.5),
        random.getrandbits(40),
        random.getrandbits(3),
        random.choices([1.5, 2.5, 3.5], k=4),
        random.randint(int(x[1]), int(x[4])),
        random.sample(range(10), 3),
        PYTHON.random(),
    )


def samples(x: Any) -> Any:
    return (
        random.gauss(0.0, x[2]),
        random.sample([1, 2, 3, 4, 5], 3),
        random.sample("abc", 2),
        random.sample(range(1000), 6),
        random.sample(range(100), k=60),
        random.sample(list(x), 6),
        random.gauss(),
        random.choices([1, 2, 3], weights=[1, 5, 2], k=5),
        random.choices("abc", [1, 5.5, 2]),
        random.choices([1, 2, 3], cum_weights=[1, 5, 7], k=5),
        random.choices([1, 2, 3], weights=[x[1], 5.0, 2.0], k=5),
        PYTHON.gauss(1, 2),
    )


def numpys(x: Any) -> Any:
    return (
        np.random.binomial(5, 0.5),
        np.random.binomial(int(x[2]), 0.3, 4),
        np.random.binomial([5, 100, 3, 0], [0.1, 0.5, 0.9, 0.5]),
        np.random.binomial(1000, x / 5, (2, 6)),
        np.random.binomial(7, 1.0, 0),
        LEGACY.poisson(3.0),
        np.random.poisson(x, (2, 6)),
        np.random.poisson(50.0, 3),
        np.random.laplace(),
        np.random.laplace(x, 2.0),
        np.random.gumbel(1.0, 2.0, 3),
        np.random.logistic(size=(2, 2)),
        np.random.rand(),
    )


def in_branches_of_loops(x: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        if np.random.random() > 0.5:
            total += random.random() * x[i]
        elif random.randint(0, 3) == 2:
            total -= np.random.normal() + random.gauss(0, 1)
        if i % 3 == 0:
            np.random.seed(i)
            random.seed(i)
            total += np.random.zipf(2.5)  # by Python
    return total


def of_run_time_size(x: Any) -> Any:
    n = int((x > 2).sum())
    return (
        np.random.rand(n),
        np.random.randint(0, n, n),
        np.random.permutation(n),
        np.random.normal(size=(n, 2)),
    )


@pytest.mark.parametrize(
    "program",
    [floats, integers, choices, pythons, samples, numpys, in_branches_of_loops, of_run_time_size],
    ids=lambda program: program.__name__,
)
def test_numbers_and_states_to_the_bit(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    seen = []
    for function in (program, compiled):
        begin_again()
        seen.append((repr([function(np.arange(6.0)) for _ in range(3)]), states()))
    assert seen[0] == seen[1]


def _distributions(x: Any) -> Any:
    total = 0.0
    for number in range(4):
        total += (
            random.gammavariate(x + number, 2.0) + random.gammavariate(0.5, x) + random.gammavariate(1.0, x)
        )
    return (
        total,
        random.betavariate(2.0, x),
        random.lognormvariate(0.0, x),
        random.paretovariate(x),
        random.triangular(),
        random.triangular(0, x, 1),
        random.vonmisesvariate(0.5, x),
        random.weibullvariate(1, x),
    )


def test_distributions_that_python_writes_in_python() -> None:
    compiled = weft.function(_distributions)
    seen = []
    for function in (_distributions, compiled):
        begin_again()
        seen.append(([function(x) for x in (2.0, 0.7)], states()))
    assert seen[0][1] == seen[1][1]
    np.testing.assert_allclose(seen[1][0], seen[0][0], rtol=1e-13)
    assert {type(value) for row in seen[1][0] for value in row} == {float}


@pytest.mark.processor  # functions on devices let Python draw of its generators
def test_distributions_that_python_writes_call_no_python() -> None:
    assert not weft.function(_distributions).get_concrete_function(2.0).cost_analysis().python_calls


@pytest.mark.compiled("threads run machine code at the same time")
def test_threads_wait_for_draws_of_numpys() -> None:
    def walk(n: Any) -> Any:
        total = 0.0
        for _ in range(n):
            total += np.random.random()
        return total

    def large() -> None:
        for _ in range(60):
            np.random.random(50_000)  # without the interpreter's lock

    compiled, count = weft.function(walk), np.int64(30_000)
    compiled(count)
    np.random.seed(0)
    thread = threading.Thread(target=large)
    thread.start()
    for _ in range(60):
        compiled(count)
    thread.join()
    assert np.random.random() == np.random.RandomState(0).random(60 * 50_000 + 60 * 30_000 + 1)[-1]
    with np.random.mtrand._rand._bit_generator.lock:  # which this thread may take again
        assert 0 < compiled(np.int64(3)) < 3


@pytest.mark.compiled("threads run machine code at the same time")
def test_other_threads_run_while_a_long_loop_draws() -> None:
    def draw(n: Any) -> Any:
        total, i = 0.0, 0
        while i < n:
            total += np.random.random() + random.random()
            i += 1
        return total

    def interrupt() -> None:
        for _ in range(4):
            seen.append(time.monotonic())
            time.sleep(0.02)
        signal.raise_signal(signal.SIGINT)

    compiled, seen = weft.function(draw), list[float]()
    compiled(np.int64(3))
    thread = threading.Thread(target=interrupt)
    begin = time.monotonic()
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        compiled(np.int64(10**10))
    thread.join()
    assert len(seen) == 4
    assert time.monotonic() - begin < 60  # 200 s where nobody else runs


@pytest.mark.parametrize("lock", [threading.Lock(), threading.RLock()])
def test_locks_tell_who_holds_them(lock: Any) -> None:
    place, mask = lock_word(type(lock)) or (0, 0)

    def holder() -> int:
        return int.from_bytes(ctypes.string_at(id(lock) + place, 8), sys.byteorder) & (mask % 2**64)

    assert holder() == 0
    with lock:
        assert holder() in (1 << 8 * byte for byte in range(8)) or holder() == threading.get_ident()
    assert holder() == 0
    assert lock_word(object) is None


def test_code_of_numpys_that_is_not_there_or_draws_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    found = numpys_distributions.numpys_addresses.__wrapped__
    assert found("poisson")
    poisson = numpys_distributions.DISTRIBUTIONS["poisson"]
    for functions in (("random_geometric_search",), ("random_of_nothing",)):
        changed = poisson._replace(functions=functions, tried=((0.5,),))
        monkeypatch.setitem(numpys_distributions.DISTRIBUTIONS, "poisson", changed)
        assert found("poisson") is None


@pytest.mark.compiled("machine code is to call no Python")
def test_loops_call_no_python() -> None:
    def walk(n: Any) -> Any:
        place = 0
        for _ in range(n):
            place += 2 * random.randint(0, 1) - 1
            place += np.random.randint(2) + np.random.binomial(9, 0.5) * np.random.poisson(2.0)
        return place

    concrete = weft.function(walk).get_concrete_function(np.int64(3))
    assert not concrete.cost_analysis().python_calls


@pytest.mark.parametrize(
    "draw",
    [
        lambda x: np.random.normal(0.0, x - 5),
        lambda x: np.random.exponential(x - 5),
        lambda x: np.random.uniform(0, x * np.inf),
        lambda x: np.random.randint(int(x), 1),
        lambda x: np.random.randint([1, int(x)], [2, 3]),
        lambda x: np.random.randint(0, [1, int(x) * 100], dtype=np.uint8),
        lambda x: np.random.choice(int(x), 9, replace=False),
        lambda x: np.random.choice(2, p=[x, x]),
        lambda x: np.random.choice(np.zeros((2, 2))),
        lambda x: np.random.binomial(x - 5, 0.5),
        lambda x: np.random.binomial(int(x) - 5, 0.5),
        lambda x: np.random.binomial(5, x),
        lambda x: np.random.binomial(5, [0.5, x]),
        lambda x: np.random.poisson(x - 5),
        lambda x: np.random.poisson([x - 5]),
        lambda x: np.random.poisson([x * np.nan]),
        lambda x: np.random.poisson(x * 1e30),
        lambda x: np.random.laplace(0.0, x - 5),
        lambda x: random.randint(int(x), 1),
        lambda x: random.randrange(int(x) - 3),
        lambda x: random.randint(3, 1) + x,
        lambda x: random.choices([1, 2], weights=[x - 3, 0.0]),
        lambda x: random.choices([1, 2], [x]),
        lambda x: random.choices([1, 2], [x, np.inf]),
        lambda x: random.choices([1, 2], [x, 1], cum_weights=[1, 2]),
        lambda x: random.gammavariate(x - 5, 2.0),
        lambda x: x + random.sample([1, 2], 3)[0],
    ],
)
def test_errors_are_those_of_numpy_and_python(draw: Callable[..., Any]) -> None:
    with pytest.raises(Exception) as eager:  # noqa: PT011 - whatever it is
        draw(np.float64(3))
    with pytest.raises(type(eager.value), match=re.escape(str(eager.value))):
        weft.function(draw)(np.float64(3))


def test_another_bit_generator_is_noticed() -> None:
    draw = weft.function(lambda x: x + np.random.rand())
    before = np.random.get_bit_generator()
    try:
        np.random.seed(1)
        assert draw(0.0) == np.random.RandomState(1).rand()
        np.random.set_bit_generator(np.random.MT19937(5))
        assert draw(0.0) == np.random.RandomState(np.random.MT19937(5)).rand()
        np.random.set_bit_generator(np.random.PCG64(5))
        assert draw(0.0) == np.random.RandomState(np.random.PCG64(5)).rand()
    finally:
        np.random.set_bit_generator(before)


def test_other_classes_are_drawn_of_by_python() -> None:
    class Constant(random.Random):
        def random(self) -> float:
            return 0.25

    constant = Constant()
    assert home_of(constant) is None
    assert home_of(np.random.RandomState(np.random.PCG64(1))) is None
    assert weft.function(lambda x: x + constant.random() + constant.uniform(0, 4))(1.0) == 2.25


def test_draws_are_constants_of_derivatives() -> None:
    def loss(scale: Any) -> Any:
        total = 0.0
        for _ in range(3):
            total += np.random.normal(0.0, scale)
        return total

    np.random.seed(2)
    expected = np.random.RandomState(2).normal(size=3).sum()
    np.testing.assert_allclose(weft.grad(loss)(1.0), expected)


def test_the_interpreter_draws_the_same() -> None:
    def draw(n: Any) -> Any:
        order = [1, 2, 3]
        random.shuffle(order)
        numbers = np.random.randint(3, 9, 5, np.int16), np.random.permutation(4), np.random.randn(2)
        several = (
            np.random.randint([1, -5], [3, 900], dtype=np.int32),
            np.random.binomial(5, 0.5),
            np.random.poisson(2.0),
        )
        return *numbers, *several, np.random.rand(), random.randint(1, n), random.expovariate(1.0), *order

    begin_again()
    expected = repr(draw(5))
    begin_again()
    with interpreting("optimized"):
        assert repr(weft.function(draw)(np.int64(5))) == expected


def positive(x: Any) -> list[Any]:
    found = []
    for i in range(len(x)):
        if x[i] > 0:
            found.append((i, x[i]))
    return found


def test_lists_that_grew_are_shuffled_and_chosen_from() -> None:
    def f(x: Any) -> Any:
        found = positive(x)
        same = found
        np.random.shuffle(found)
        random.shuffle(found)
        same.append((-1, 0.5))
        rng = np.random.default_rng(3)
        rng.shuffle(found)
        return found, random.choice(same), random.choices(found, k=2)

    compiled = weft.function(f)
    for x in ([3.0, -1.0, 2.0, 5.0], [1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]):
        begin_again()
        expected = f(np.array(x)), random.random(), np.random.rand()
        begin_again()
        assert repr((compiled(np.array(x)), random.random(), np.random.rand())) == repr(expected)


def test_an_empty_list_has_nothing_to_choose() -> None:
    compiled = weft.function(lambda x: random.choice(positive(x)))
    assert compiled(np.ones(2)) in [(0, 1.0), (1, 1.0)]
    with pytest.raises(IndexError, match="Cannot choose from an empty sequence"):
        compiled(np.zeros(2))


@pytest.mark.parametrize("bits", [64, 65, 128])
def test_integers_that_compiled_code_does_not_hold(bits: int) -> None:
    with pytest.raises(weft.UnsupportedError, match=rf"getrandbits\({bits}\) gives integers of {bits} bits"):
        weft.function(lambda x: random.getrandbits(bits) + x)(1)
