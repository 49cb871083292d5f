"""Loops that one block runs: what the processor gives, with one launch and without a read in each iteration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import weft
from support.device_code import gpu_text, reads
from weft.backend.gpu.machine.driver_code import weft_device_read


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def _normal(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape)


def _swapped(x: Any, y: Any, n: Any) -> Any:
    both, other = x.copy(), y.copy()
    for t in range(n):
        other[1:-1] = both[1:-1] * 0.5 + both[2:] * 0.25 + other[:-2] * t
        both, other = other, both
    x[0] = both[5]
    return both, other


def test_arrays_that_take_each_others_place() -> None:
    here, there = weft.function(_swapped), weft.function(_swapped, device="cuda")
    for n in (0, 1, 6):
        first, second = _normal(40), _normal(40)
        for mine, its in zip(there(second, _normal(40), n), here(first, _normal(40), n), strict=True):
            np.testing.assert_array_equal(mine, its)
        np.testing.assert_array_equal(second, first)
    text = gpu_text(_swapped, np.zeros(40), np.zeros(40), np.int64(3))
    assert 'weft.schedule = "one block' in text


def _relaxed(u: Any, tolerance: Any, most: Any) -> Any:
    steps, change = 0, tolerance + 1.0
    while change > tolerance and steps < most:
        new = u.copy()
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        change = np.max(np.abs(new - u))
        u = new
        steps += 1
    return u, steps, change


def test_data_decides_how_often_a_loop_runs() -> None:
    here, there = weft.function(_relaxed), weft.function(_relaxed, device="cuda")
    for most in (0, 1, 7, 500):
        for mine, its in zip(there(_normal(24), 0.05, most), here(_normal(24), 0.05, most), strict=True):
            np.testing.assert_array_equal(mine, its)
    text = gpu_text(_relaxed, np.zeros(24), np.float64(0.05), np.int64(9))
    before, _, following = text[: text.index("gpu.module")].partition("scf.while")
    loop, _, behind = following.partition("weft.interruptible")
    assert weft_device_read.__name__ in before, "how often it was, and what the change is"
    assert weft_device_read.__name__ not in loop + behind


def _behind_a_check(u: Any, k: Any, n: Any) -> Any:
    first = np.sum(u[k])
    for t in range(n):
        u[1:-1] = 0.5 * (u[:-2] + u[2:])
        u *= 1 + 0.25 * t
    return first


def test_nothing_is_done_behind_a_check_that_fails() -> None:
    here, there = weft.function(_behind_a_check), weft.function(_behind_a_check, device="cuda")
    for wrong in (5, 40):
        results, arrays = [], [np.arange(20.0), np.arange(20.0)]
        for function, u in zip((here, there), arrays, strict=True):
            try:
                results.append(float(function(u, np.array([3, wrong]), 4)))
            except IndexError as error:
                results.append(str(error))
        assert results[0] == results[1]
        assert isinstance(results[0], str) == (wrong == 40)
        np.testing.assert_array_equal(arrays[1], arrays[0])
    assert 'weft.schedule = "one block' in gpu_text(_behind_a_check, np.zeros(20), np.arange(2), np.int64(4))


def _set_at(u: Any, k: Any, n: Any) -> Any:
    for t in range(n):
        u[1:-1] = 0.5 * (u[:-2] + u[2:])
        u[k[t]] = t
    return np.sum(u)


def _noted(u: Any, changes: Any, tolerance: Any) -> Any:
    steps, change = 0, tolerance + 1.0
    while change > tolerance:
        new = u.copy()
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        change = np.max(np.abs(new - u))
        u[:] = new
        changes[steps] = change
        steps += 1
    return steps


@pytest.mark.parametrize(
    ("function", "other", "few", "many"),
    [(_set_at, np.arange(6) % 5, 3, 9), (_noted, np.zeros(6), 1.4, 0.01)],
)
def test_a_loop_ends_where_the_host_finds_an_error(function: Any, other: Any, few: Any, many: Any) -> None:
    """An index that the host counts is too large: what was done before has been done, and nothing behind it."""
    here, there = weft.function(function), weft.function(function, device="cuda")
    for last in (few, many):
        results: list[Any] = []
        for compiled in (here, there):
            u, noted = np.arange(20.0) % 7, other.copy()
            try:
                found: Any = float(compiled(u, noted, last))
            except IndexError as error:
                found = str(error)
            assert isinstance(found, str) == (last == many)
            results.append((found, u.tolist(), noted.tolist()))
        assert results[0] == results[1]
    assert 'weft.schedule = "one block' in gpu_text(function, np.zeros(20), other, np.asarray(few)[()])


def _nested(u: Any, v: Any, n: Any, m: Any) -> None:
    for _ in range(n):
        u[1:-1] = 0.5 * (u[:-2] + u[2:])
        for s in range(m):
            v[1:-1] = 0.5 * (v[:-2] + v[2:]) + s * u[1:-1]


def test_a_loop_in_a_loop() -> None:
    """Each looks for interrupts by itself: what is in the inner one is done, too."""
    here, there = weft.function(_nested), weft.function(_nested, device="cuda")
    mine, its = [_normal(20), _normal(20)], [_normal(20), _normal(20)]
    here(*mine, np.int64(3), np.int64(2))
    there(*its, np.int64(3), np.int64(2))
    np.testing.assert_array_equal(its, mine)
    text = gpu_text(_nested, np.zeros(20), np.zeros(20), np.int64(3), np.int64(2))
    assert text[: text.index("gpu.module")].count("gpu.launch_func") == 1


def _until_small(u: Any, least: Any, n: Any) -> Any:
    for t in range(n):
        u[1:-1] = 0.5 * (u[:-2] + u[2:]) - 1
        total = np.sum(u)
        if total < least:
            raise ValueError(f"{total:.3f} after {t}, {total / 2:.3f}, {u[:2]}")
        u[0] = t
    return np.sum(u)


def _converging(u: Any, tolerance: Any, most: Any) -> Any:
    steps, change = 0, tolerance + 1.0
    while change > tolerance:
        new = u.copy()
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        change = np.max(np.abs(new - u))
        u = new
        steps += 1
        if steps > most:
            raise RuntimeError(f"no convergence: {change:.4f}")
        if not np.isfinite(change):
            raise FloatingPointError(f"{steps} steps")
    return u, steps


def _exchanged(u: Any, least: Any, n: Any) -> Any:
    one, other = u.copy(), u * 2
    for t in range(n):
        other[1:-1] = one[1:-1] * 0.5 + one[2:] * 0.25
        if t % 3 != 1 and np.max(other) < least:
            print("small", t)
            raise ArithmeticError(f"{t}: {one[:3]} {np.sum(other):.4f}")
        one, other = other, one
    return one, other


def _in_the_inner_loop(u: Any, least: Any, n: Any) -> Any:
    for t in range(n):
        u[1:-1] = 0.5 * (u[:-2] + u[2:])
        for k in range(3):
            u *= 0.9
            if np.sum(u) < least:
                raise ValueError(f"{t} {k}")
    return u


_RAISING = {
    _until_small: (-1e3, -50.0),
    _converging: (100, 3),
    _exchanged: (-1.0, 8.0),
    _in_the_inner_loop: (0.0, 20.0),
}


@pytest.mark.parametrize("function", _RAISING, ids=lambda function: function.__name__)
def test_a_loop_ends_where_data_raises_an_exception(
    function: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """The kernel tells the host when, and with which numbers; what was done before has been done."""
    there = weft.function(function, device="cuda")
    for argument in _RAISING[function]:
        last = 7 if function is not _converging else argument
        argument = 0.3 if function is _converging else argument
        outcomes: list[Any] = []
        for called in (function, there):
            u = np.arange(20.0) % 7
            try:
                found: Any = [np.asarray(part).tolist() for part in np.atleast_1d(called(u, argument, last))]
            except (ValueError, RuntimeError, ArithmeticError) as error:
                found = repr(error)
            outcomes.append((found, u.tolist(), capsys.readouterr().out))
        assert outcomes[0] == outcomes[1]
    text = gpu_text(function, np.zeros(20), np.float64(1), np.int64(3))
    assert 'weft.schedule = "one block' in text


def test_an_exception_of_a_loop_is_at_its_line() -> None:
    there = weft.function(_until_small, device="cuda")
    with pytest.raises(ValueError, match="after 3") as caught:
        there(np.arange(20.0) % 7, 0.0, 9)
    assert caught.traceback[-1].name == "_until_small"


def _solved(lower: Any, b: Any) -> Any:
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return x


def _decomposed(a: Any, b: Any) -> Any:
    for k in range(len(a) - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return b


def _reflected(r: Any, b: Any) -> Any:
    y = np.zeros_like(b)
    for k in range(1, len(b)):
        y[k] = b[k] - np.dot(np.flip(r[0, :k]), y[:k])
        y[:k] += y[k] * np.flip(y[:k])
    return y


def _orthogonal(a: Any, b: Any) -> Any:
    for k in range(a.shape[1]):
        a[:, k] /= np.sqrt(np.dot(a[:, k], a[:, k]))
        for j in range(k + 1, a.shape[1]):
            a[:, j] -= a[:, k] * np.dot(a[:, k], a[:, j])
    return b


def _triangular(a: Any, b: Any) -> Any:
    q = np.zeros_like(a)
    for j in range(a.shape[1]):
        v = a[:, j].copy()
        for i in range(j):
            v -= (q[:, i] @ a[:, j]) * q[:, i]
        q[:, j] = v / np.sqrt(v @ v)
    return q


def _largest_first(a: Any, b: Any) -> Any:
    for k in range(len(b) - 1):
        rest = np.abs(b[k:])
        b[k:] = rest / np.max(rest) + a[k, k:]
    return b


@pytest.mark.parametrize(
    "function",
    [_solved, _decomposed, _reflected, _orthogonal, _triangular, _largest_first],
    ids=lambda f: f.__name__,
)
def test_parts_that_grow_and_shrink(function: Any) -> None:
    """Views whose lengths change from one iteration to the next; a NaN, and arrays without elements."""
    for n, wrong in ((20, False), (18, True), (1, False)):
        results: list[Any] = []
        for called in (weft.function(function), weft.function(function, device="cuda")):
            a, b = _normal(n, n) + 3 * np.eye(n), _normal(n)
            if wrong:
                a[n // 2, n // 3] = np.nan
            results.append((called(a, b), a, b))
        for mine, its in zip(*results, strict=True):
            np.testing.assert_allclose(its, mine, rtol=1e-11, atol=1e-12)
            assert np.isnan(its).any() == np.isnan(mine).any()
    text = gpu_text(function, np.zeros((20, 20)), np.zeros(20))
    host = text[: text.index("gpu.module")]
    assert 'weft.schedule = "one block' in text
    assert host.count("gpu.launch_func") <= 2
    assert "@kernel" not in host.partition("scf.for")[2].partition("return")[0]
    assert weft_device_read.__name__ not in host


def _counted(x: Any, counts: Any) -> Any:
    outside = 0
    for value in x:
        if value < 0.0:
            outside += 1
            continue
        counts[int(value * 10)] += 1
    return outside


def _limited(u: Any, noted: Any) -> Any:
    limit, rounds = 60.0, 7
    for t in range(rounds):
        u += 1
        for s in range(4):
            u[1:-1] = 0.5 * (u[:-2] + u[2:])
            noted[0] = 10 * t + s
            if np.sum(u) > limit:
                noted[1] = t
                if s % 2 == 1:
                    raise ValueError(f"at {t}, {s}: {np.sum(u):.3f}, {u[:2]}")
    return u


def _halved(u: Any, noted: Any) -> Any:
    while np.max(np.abs(u)) > 0.1:
        u *= 0.7
        if u[0] > 0.9:
            noted[0] += 1
            if u[1] > 0.9:
                raise ArithmeticError(f"{u[1]:.4f} after {noted[0]}")
    return u


_DECIDING = {
    _counted: ([0.3, 0.95, -1.0], [0.3, np.nan, 0.1], [0.2, np.inf], [0.4, 1.7, 0.1], []),
    _limited: ([0.0] * 20, [1.0, 2.0, 3.0, 4.0] * 5, [np.nan] * 20, [-9.0] * 20),
    _halved: ([0.5, 2.0], [2.0, 0.5], [3.0, 3.0], [np.nan, 3.0], [0.0, 0.0]),
}


@pytest.mark.parametrize("function", _DECIDING, ids=lambda function: function.__name__)
def test_checks_in_loops_and_branches_of_data(function: Any) -> None:
    """The host knows which check has failed, and does not go the way to it: it reads once, behind the loop."""
    here, there = weft.function(function), weft.function(function, device="cuda")
    kinds = set()
    for values in _DECIDING[function]:
        outcomes: list[Any] = []
        for called in (here, there):
            x, noted = np.array(values * (20 if len(values) == 2 else 1)), np.zeros(12, int)
            try:
                found: Any = np.asarray(called(x, noted)).tolist()
            except (ValueError, OverflowError, IndexError, ArithmeticError) as error:
                found = repr(error)
            outcomes.append(repr((found, x.tolist(), noted.tolist())))
            kinds.add(isinstance(found, str))
        assert outcomes[0] == outcomes[1]
    assert kinds == {False, True}
    text = gpu_text(function, np.zeros(40), np.zeros(12, int))
    host = text[: text.index("gpu.module")]
    assert "scf.for" not in host
    assert "scf.while" not in host
    assert reads(text) <= 2


def _gathered(x: Any, following: Any) -> Any:
    total = 0.0
    for t in range(len(x)):
        x[1:-1] = 0.5 * (x[2:] + x[:-2])
        last = 0.0
        for value in x:
            last = last * 0.5 + value
        total += last
        x[0] = last + t
    return total


def _followed(x: Any, following: Any) -> Any:
    place = 0
    for t in range(len(x)):
        place = t
        while following[place] != place:
            place = following[place]
        x[place] *= 2
    x += 100
    return place


@pytest.mark.parametrize(("function", "side"), [(_gathered, "device"), (_followed, "host")])
def test_loops_with_numbers_of_loops(function: Any, side: str) -> None:
    """What the host had parts of in each iteration: the device does all of it, or the host."""
    here, there = weft.function(function), weft.function(function, device="cuda")
    before = np.maximum(np.arange(20) - 1, 0)
    for wrong in (None, 12):
        following, outcomes = before.copy(), []
        if wrong is not None:
            following[wrong] = 40
        for called in (here, there):
            x = np.arange(20.0) % 7
            try:
                found: Any = float(called(x, following))
            except IndexError as error:
                found = str(error)
            outcomes.append((found, x.tolist()))
        assert outcomes[0] == outcomes[1]
        assert isinstance(outcomes[0][0], str) == (side == "host" and wrong is not None)
    text = gpu_text(function, np.zeros(20), before)
    assert not reads(text, in_loops=True)
    assert ('weft.schedule = "one block' in text) == (side == "device")
    assert ("the host does the whole loop" in text) == (side == "host")


def _divided(x: Any, y: Any) -> Any:
    for t in range(len(y)):
        x += y[t]
        x[0] //= 1
        x[2] = int(x[1]) // int(y[t])
    return x


def test_a_division_by_zero_in_a_loop() -> None:
    """Arrays that the caller sees are written by kernels that copy, and not behind the division."""
    for wrong in (50, 11):
        outcomes: list[Any] = []
        for called in (weft.function(_divided), weft.function(_divided, device="cuda")):
            x, y = np.arange(20.0), np.where(np.arange(20) == wrong, 0.0, 2.0)
            try:
                found: Any = called(x, y).tolist()
            except ZeroDivisionError as error:
                found = str(error)
            outcomes.append((found, x.tolist()))
        assert outcomes[0] == outcomes[1]
        assert isinstance(outcomes[0][0], str) == (wrong == 11)
    text = gpu_text(_divided, np.zeros(20), np.zeros(20))
    assert text[: text.index("gpu.module")].count("gpu.launch_func") == 1


_ITEMS = [1, 2]


def _stored(b: Any, mask: Any, z: Any) -> Any:
    found = mask.max()
    if found <= 8:
        k = z.shape[0] * int(found) % 6 % 4
        while k > 0:
            _ITEMS[k] = k
            match np.count_nonzero(z):
                case int() if k <= (2.0 / found) % 97:
                    _, *_ = mask
                case _:
                    mask[None, -1, :2] *= bool(k)
    return z, found, np.broadcast_to(b, (2, *b.shape))


def test_numbers_of_a_loop_where_a_result_has_any_size() -> None:
    """They lie behind a workspace of known size, whatever the function says that computes the other sizes."""
    signature = [weft.TensorSpec((None, None), dtype) for dtype in ("uint64", "bool", "float64")]
    function = weft.function(_stored, device="cuda", input_signature=signature)
    for n in (3, 6):
        b, z = np.arange(n * 5, dtype=np.uint64).reshape(n, 5), np.ones((n, 5))
        for mine, its in zip(
            function(b, np.array([[False]]), z), _stored(b, np.array([[False]]), z), strict=True
        ):
            np.testing.assert_array_equal(mine, its)
