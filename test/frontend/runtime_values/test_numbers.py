"""Numbers that Python gets when the program runs: each call has its own, in whatever place machine code has them."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np
import pytest

import weft

KEPT: list[Any] = []


def shown(n: Any, x: Any) -> None:
    for i in range(n):
        print("step", i, i * 0.5, x[i], x[i] > 1, f"{i:03d} {x[i]:.2f}", sep="|", end=";\n")
        if i > 2:
            print(i - 1, end=" ")
        print(x[:2], i, (i, [x[i]]))


@pytest.mark.parametrize("dtype", ["float64", "float32", "uint8", "complex64", "bool"])
def test_printed_in_loops(dtype: str, capsys: pytest.CaptureFixture[str]) -> None:
    x = np.arange(6).astype(dtype)
    text = (
        shown
        if dtype not in ("complex64", "bool")
        else lambda n, x: [print(i, x[i], x[i:]) for i in range(n)]
    )
    text(6, x)
    expected = capsys.readouterr().out
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weft.function(text)(np.int64(6), x)
    assert capsys.readouterr().out == expected


def test_what_is_kept_is_not_written_later() -> None:
    def calls(n: Any, x: Any) -> None:
        for i in range(n):
            weft.py_call(lambda *parts: KEPT.append(parts), i, x[i], np.zeros(()) + i, x.sum())

    KEPT.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weft.function(calls)(np.int64(4), np.arange(4.0))
    assert [tuple(map(float, parts)) for parts in KEPT] == [(i, i, i, 6.0) for i in range(4)]
    assert all(isinstance(parts[0], int) and isinstance(parts[1], np.float64) for parts in KEPT)


def test_calls_within_calls_and_in_threads() -> None:
    found: dict[int, list[Any]] = {}

    def note(key: Any, number: Any) -> None:
        found.setdefault(int(key), []).append(int(number))
        if key < 10 and number == 1:
            inner(np.int64(key + 10), np.int64(2))

    def counting(key: Any, n: Any) -> None:
        for i in range(n):
            weft.py_call(note, key, i)

    inner = weft.function(counting)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inner(np.int64(20), np.int64(1))
        threads = [threading.Thread(target=inner, args=(np.int64(k), np.int64(300))) for k in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert all(found[k] == list(range(300)) and found[k + 10] == [0, 1] for k in range(3))
