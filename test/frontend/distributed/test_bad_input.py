"""What cannot be done together is told on all ranks, by one error of weft's at the line of the program."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

ranks = weft.distributed


def parts(x: Any) -> Any:
    return ranks.all_to_all(x)


def parts_of_columns(x: Any) -> Any:
    return ranks.all_to_all(np.ones((3, 1)) * x, split_axis=1)


def reduced_parts(x: Any) -> Any:
    return ranks.reduce_scatter(x, "max")


def nobody(x: Any) -> Any:
    return ranks.broadcast(x, root=7)


def nowhere(x: Any) -> Any:
    return ranks.all_reduce(x, over="depth")


def nobodys_number(x: Any) -> Any:
    return ranks.rank("depth") + x


def other_shapes(x: Any) -> Any:
    return ranks.all_reduce(x[: 1 + int(x[0])])


def other_dtypes(x: Any) -> Any:
    return ranks.all_gather(x.astype(np.float32) if x[0] else x)


def other_programs(x: Any) -> Any:
    return ranks.all_reduce(x) if x[0] else ranks.all_reduce(x, "max")


def another(x: Any) -> Any:
    return ranks.replicated(x)


WRONG: list[tuple[Callable[..., Any], type[Exception], str]] = [
    (parts, weft.WeftValueError, "all_to_all: axis 0 has 5 elements, which cannot be cut in 3 equal parts"),
    (parts_of_columns, weft.WeftValueError, "all_to_all: axis 1 has 5 elements, which cannot be cut"),
    (reduced_parts, weft.WeftValueError, "reduce_scatter: axis 0 has 5 elements, which cannot be cut"),
    (nobody, weft.WeftValueError, r"broadcast\(root=7\): there is no rank 7 of 3"),
    (nowhere, weft.WeftValueError, "there is no axis 'depth' of the mesh; its axes are 'd'"),
    (nobodys_number, weft.WeftValueError, "there is no axis 'depth' of the mesh; its axes are 'd'"),
    (other_shapes, weft.CommunicationError, "ranks do different things at the same time: "),
    (other_dtypes, weft.CommunicationError, "ranks do different things at the same time: "),
    (other_programs, weft.CommunicationError, "ranks do different things at the same time: "),
    (another, weft.CommunicationError, "replicated says that all ranks have the same array"),
]


def told(f: Callable[..., Any], count: int) -> list[Exception]:
    """What each rank raises."""
    found: dict[int, Exception] = {}

    def run(x: Any) -> None:
        try:
            f(x)
        except Exception as error:
            found[int(ranks.rank())] = error

    ranks.Mesh.simulated(count).run(run, lambda rank: (np.arange(5.0) + rank,))
    return [found[rank] for rank in range(count)]


PLAIN = (other_shapes, other_dtypes, other_programs)
"""Those of which each rank compiles a program of its own."""


@pytest.mark.parametrize(
    ("f", "kind", "message", "compiled"),
    [
        pytest.param(*wrong, compiled, id=f"{wrong[0].__name__}-{'compiled' if compiled else 'plain'}")
        for wrong in WRONG
        for compiled in (False, True)
        if not (compiled and wrong[0] in PLAIN)
    ],
)
def test_all_ranks_are_told(f: Any, kind: type[Exception], message: str, compiled: bool) -> None:
    for error in told(weft.function(f) if compiled else f, 3):
        with pytest.raises(kind, match=message):
            raise error
        line = inspect.getsourcelines(f)[1] + 1
        lines = [
            (Path(frame.filename).name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)
        ]
        assert (Path(__file__).name, line) in lines


def test_compiled_programs_that_differ_are_told() -> None:
    wide, narrow = weft.function(parts), weft.function(lambda x: ranks.all_gather(x[:3]))
    for error in told(lambda x: (narrow if x[0] else wide)(x[:3] if x[0] else np.ones(3)), 3):
        with pytest.raises(
            weft.CommunicationError, match=r"rank 0 calls all_to_all\(\) of f64\[3,1\] at .*; rank [12] "
        ):
            raise error


def test_a_program_of_one_rank() -> None:
    for f in (nobody, nowhere, nobodys_number):
        for function in (f, weft.function(f)):
            with pytest.raises(
                weft.WeftValueError, match=r"there is no (rank 7 of 1|axis 'depth' of a mesh here)"
            ):
                function(np.ones(5))
    assert parts(np.ones(5)).shape == weft.function(reduced_parts)(np.ones(5)).shape == (5,)
