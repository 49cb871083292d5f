"""Names that loops and `finally` blocks leave without a value, and returns that these take back: as Python has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.behaviour_harness import same

# Names that a loop may not bind, although it runs


def bound_in_a_branch(x: Any) -> Any:
    for i in range(100):
        if x[i] > 60:
            y = x[i]
    return y


def broken_before(x: Any) -> Any:
    for i in range(100):
        if x[i] >= 0:
            break
        y, z = [x[i]], i
    return y, z


def continued_before(x: Any) -> Any:
    for v in x:
        if v >= 0:
            continue
        y = {"a": v}
    return y


def broken_in_an_inner_loop(x: Any) -> Any:
    for _ in range(100):
        for w in x:
            if w >= 0:
                break
            y = w
    return y


def raised_before(x: Any) -> Any:
    for v in x:
        try:
            if v >= 0:
                raise ValueError("no")
            y = v
        except ValueError:
            break
    return y


@pytest.mark.parametrize(
    "program", [bound_in_a_branch, broken_before, continued_before, broken_in_an_inner_loop, raised_before]
)
@pytest.mark.parametrize("below", [0, 5, 500])
def test_names_that_an_iteration_may_not_bind(program: Callable[..., Any], below: int) -> None:
    same(program, (np.arange(100.0) - below,))


# Names that `finally` reads where the function has returned


def read_where_it_returned(a: Any, k: Any) -> Any:
    try:
        if k:
            return 1
        n = 0
    finally:
        a[0] += n
    return None


def printed_where_it_returned(a: Any, k: Any) -> Any:
    try:
        for v in a:
            if v > k:
                return v
            n = v
    finally:
        print(n)
    return None


def read_in_a_function(a: Any, k: Any) -> Any:
    def inner() -> Any:
        try:
            if k:
                return a.sum()
            n = 2
        finally:
            try:
                a[0] += n
            except UnboundLocalError as error:
                print(error)
        return n

    return inner() + 1


# Returns in `finally`, which hold where they are reached alone


def returned_in_a_loop(a: Any, k: Any) -> Any:
    try:
        if k:
            return 1
    finally:
        for _ in range(2):
            if a.all():
                return 2.5
    return None


def returned_in_a_while(a: Any, k: Any) -> Any:
    try:
        if k:
            raise ValueError(3)
        return 2
    finally:
        while k < 5:
            k += 1
            if a.all():
                return 8


def returned_lists(a: Any, k: Any) -> Any:
    try:
        if k:
            return [k]
    finally:
        for v in a:
            a[0] += 1
            if v > 2:
                return [v, 2]
    return None


def returned_arrays(a: Any, k: Any) -> Any:
    try:
        if k:
            return a
    finally:
        for v in a:
            if v > 2:
                return a + 1
    return None


@pytest.mark.parametrize(
    "program",
    [
        read_where_it_returned,
        printed_where_it_returned,
        read_in_a_function,
        returned_in_a_loop,
        returned_in_a_while,
        returned_lists,
        returned_arrays,
    ],
)
@pytest.mark.parametrize("a", [[1, 2, 3], [0, 1, 2]])
@pytest.mark.parametrize("k", [0, 1])
def test_what_finally_reads_and_returns(program: Callable[..., Any], a: list[int], k: int) -> None:
    same(program, (np.array(a), np.int64(k)))


# Numbers of several types beside elements that a mask selects


def of_a_type(k: Any) -> Any:
    return 2.5 if k >= 3 else 3


def updated(a: Any, k: Any) -> Any:
    a[a > 1] -= of_a_type(k)
    return a


def computed(a: Any, k: Any) -> Any:
    chosen = a[a > 1]
    return (
        chosen - of_a_type(k),
        of_a_type(k) * chosen,
        chosen > of_a_type(k),
        np.maximum(chosen, of_a_type(k)),
    )


@pytest.mark.parametrize("program", [updated, computed])
@pytest.mark.parametrize("k", [1, 5])
def test_selected_elements_and_numbers_of_several_types(program: Callable[..., Any], k: int) -> None:
    same(program, (np.array([1, 2, 3]), np.int64(k)))
