"""Scalars and numbers have no memory: what shows them is an array of its own, and nothing can write them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same
from support.interpreted import interpreted
from weft.dialect.errors import WeftTypeError

x = np.array([1.5, 4.0, 3.0])
s = np.float64(2.5)


def numbers(s: Any, x: Any) -> list[Any]:
    return [s, x[1], x.sum(), x.mean(), s + x[0], x[0] if x[1] > 0 else s, float(s), x @ x, min(x[0], s)]


def views(s: Any, x: Any) -> Any:
    results = []
    for number in numbers(s, x):
        made = [
            *(np.atleast_1d(number), np.atleast_2d(number), np.atleast_3d(number), np.ravel(number)),
            *(
                np.reshape(number, 1),
                np.expand_dims(number, (0, 1)),
                np.atleast_1d(number)[::-1],
                np.array(number),
            ),
            *(np.asarray(number), np.ix_(np.atleast_1d(number))[0], np.meshgrid(number, copy=False)[0]),
            *(np.split(np.atleast_1d(number), 1)[0], np.swapaxes(np.atleast_2d(number), 0, 1)),
        ]
        for view in made:
            view[...] = 7
        results.append((number, made))
    return results


def methods(s: Any, x: Any) -> Any:
    results = []
    for number in (s, x[1], x.sum(), s + 1):
        made = [
            number[None],
            number[..., None],
            number[...],
            number.ravel(),
            number.reshape(-1),
            number.reshape(1, 1),
        ]
        for view in made:
            view[...] = 7
        number.flat[0] = 7
        number.fill(7)
        number.put(0, 7)
        np.put(number, 0, 7)
        scalars = [
            number.T,
            number.reshape(()),
            number.squeeze(),
            number.view(),
            number[()],
            number.view(np.int64),
        ]
        results.append((number, made, scalars, number.byteswap(), np.moveaxis(number, (), ())))
    return results


def arrays(z: Any, x: Any) -> Any:
    total = np.array(x.sum())
    total.ravel()[0] = 3
    z[None][0] += 4
    np.atleast_2d(z)[0, 0] *= 2
    part = x[1, ...]
    part.reshape(1)[:] = 9
    swapped = z.byteswap()
    np.nan_to_num(z, copy=False)
    return total, z, x, part, z.T, z.view(), swapped


@pytest.mark.parametrize("function", [views, methods])
def test_views_of_scalars_are_arrays_of_their_own(function: Any) -> None:
    assert_same(interpreted(function)(s, x.copy()), function(s, x.copy()))


def test_compiled_views_of_scalars() -> None:
    def f(x: Any) -> Any:
        n = x.mean()
        v = np.atleast_1d(n)
        v[0] = 0.0
        return n, v, x - n

    assert_same(weft.function(f)(np.arange(4.0)), f(np.arange(4.0)))


def test_views_of_arrays_of_rank_0_are_views() -> None:
    assert_same(interpreted(arrays)(np.array(2.5), x.copy()), arrays(np.array(2.5), x.copy()))


def item_assignment(n: Any, x: Any) -> None:
    n[()] = 7


WRITES: dict[str, Any] = {
    "item": item_assignment,
    "out": lambda n, x: np.add(n, 1, out=n),
    "out of a reduction": lambda n, x: np.sum(x, out=n),
    "out of a method": lambda n, x: x.mean(out=n),
    "out of selection": lambda n, x: np.take(x, 0, out=n),
    "copyto": lambda n, x: np.copyto(n, 7),
    "place": lambda n, x: np.place(n, True, [7]),
    "putmask": lambda n, x: np.putmask(n, True, 7),
    "at": lambda n, x: np.add.at(n, (), 1),
    "in place": lambda n, x: n.byteswap(inplace=True),
    "not copied": lambda n, x: np.nan_to_num(n, copy=False),
    "real": lambda n, x: setattr(n, "real", 7),
    "flat": lambda n, x: setattr(n, "flat", 7),
    "shape": lambda n, x: setattr(n, "shape", (1,)),
}


@pytest.mark.parametrize("name", WRITES)
def test_scalars_cannot_be_written(name: str) -> None:
    write = WRITES[name]
    with pytest.raises(Exception) as eager:  # noqa: PT011
        write(s, x.copy())
    for number in (lambda s, x: s, lambda s, x: x[0]):
        with pytest.raises(eager.type):
            interpreted(lambda s, x, number=number: write(number(s, x), x))(s, x.copy())


def test_the_message_says_what_is_written() -> None:
    with pytest.raises(
        WeftTypeError, match=r"the output is a numpy.float64: only arrays can be changed in place"
    ):
        weft.function(lambda s, x: np.sum(x, out=s))(s, x)
    with pytest.raises(WeftTypeError, match=r"'numpy.float64' object does not support item assignment"):
        weft.function(lambda s, x: np.copyto(s, x[0]))(s, x)
    with pytest.raises(WeftTypeError, match=r"the output array is a numpy.float64"):
        weft.function(lambda s, x: np.putmask(s, True, 7))(s, x)
