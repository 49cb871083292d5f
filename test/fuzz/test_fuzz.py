"""A short run of whole programs, the same one always; `make fuzz` goes on from there."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from typing import Any

import numpy as np
import pytest
from fuzz.comparison import differences, sharing
from fuzz.grammar.module import random_program
from fuzz.joined import as_one_type, plain_numbers
from fuzz.minimise import minimised
from fuzz.program import IMPORTS
from fuzz.run import SHARES
from fuzz.verdict import judge, require_right
from fuzz.watchdog import Worker

SEEDS = {"weft": range(15), "optimized": range(50, 75), "compiled": range(100, 104)}
"""The programs by the way that they go."""

WRONG: frozenset[int] = frozenset({80})
"""The programs that still go wrong; `python test/fuzz/run.py --only` says how."""

PROGRAM = """
def f(x):
    y = x + 1
    if x[0] > 2:
        y = y * 2
    return y

CALLS = [lambda: (np.arange(3.0),), lambda: (np.arange(3.0) + 3,)]
"""


@pytest.mark.slow
def test_what_programs_do_is_what_they_do_eagerly() -> None:
    outcomes: Counter[str] = Counter()
    worker = Worker()
    try:
        for stage, seeds in SEEDS.items():
            for seed in set(seeds) - WRONG:
                answer = worker.ask({"seed": seed, "stage": stage})
                outcomes[answer["outcome"]] += 1
                told = f"{answer['kind']}\n{answer['text']}\n{answer['detail']}"
                assert answer["outcome"] in ("right", "refused", "invalid", "long"), (
                    f"seed {seed} at {stage}: {told}"
                )
    finally:
        worker.stop()
    total = sum(outcomes.values())
    assert outcomes["right"] > 0.6 * total, outcomes
    assert outcomes["invalid"] < 0.1 * total, outcomes


def test_a_seed_gives_one_program() -> None:
    assert random_program(5) == random_program(5) != random_program(6)


@pytest.mark.parametrize("stage", SHARES)
def test_all_stages_compute(stage: str) -> None:
    require_right(PROGRAM, stage)


@pytest.mark.parametrize(
    ("got", "expected", "kind"),
    [
        (np.ones(2), np.array([1, 1 + 1e-9]), "value"),
        (np.array([0.0]), np.array([-0.0]), "value"),
        (np.ones(2, np.float32), np.ones(2), "dtype"),
        (np.ones((2, 1)), np.ones(2), "shape"),
        (np.float64(1), np.array(1.0), "type"),
        (True, 1, "type"),
        ({1.0, float("nan")}, {2.0, float("nan")}, "value"),
        ([1], (1,), "type"),
        ([1], [1, 2], "length"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "keys"),
        ({"a": [1, "x"]}, {"a": [1, "y"]}, "value"),
        (ValueError("a", 1), ValueError("a", 2), "value"),
    ],
)
def test_differences_are_found(got: Any, expected: Any, kind: str) -> None:
    assert [found.split(":")[0] for found in differences(got, expected)] == [kind]
    assert not list(differences(expected, copy.deepcopy(expected)))


def test_copies_may_be_in_the_order_of_the_machine() -> None:
    native, swapped = np.arange(3), np.arange(3).astype(">i8")
    assert not list(differences(native, swapped))
    assert list(differences(swapped, native))
    assert list(differences(native, swapped + 1))


def test_types_of_joined_numbers() -> None:
    joined = "def f(x):\n    y = 3 if x < 9 else x // 2\n    print(repr(y))\n    return [y]\n"
    calls = "\nCALLS = [lambda: (np.int64(4),)]\n"
    verdict = judge(IMPORTS + joined + calls, "weft")
    assert (verdict.outcome, verdict.kind) == ("right", "")
    assert plain_numbers("[np.float64(3.0), 2.50] array(True)") == plain_numbers("[3, 2.50] 1")
    assert not list(differences(*as_one_type(np.float64(3), 3)))
    assert list(differences(*as_one_type(np.float64(3), 4)))


def test_sharing_is_found() -> None:
    x, y = np.ones(4), np.ones(4)
    assert sharing([x, x[1:], x.copy()], (x, y), {"G": y}) == {
        ("result[0]", "arguments[0]", "is"),
        ("result[1]", "arguments[0]", "shares memory with"),
    }


def test_failing_programs_become_small() -> None:
    text = IMPORTS + PROGRAM
    small = minimised(text, lambda candidate: "x[0]" in candidate and "CALLS" in candidate, seconds=5)
    assert len(ast.parse(small.removeprefix(IMPORTS)).body) == 2
    assert len(small) < len(text)


def test_crashes_and_hangs_are_seen() -> None:
    crashing = IMPORTS + "import os\ndef f(x):\n    os.abort()\nCALLS = [lambda: (1,)]\n"
    hanging = IMPORTS + "def f(x):\n    return x\ndef wait():\n    import time\n    time.sleep(60)\nwait()\n"
    worker = Worker(limit=2.0)
    try:
        assert worker.ask({"text": crashing, "stage": "weft"})["outcome"] == "crashed"
        assert worker.ask({"text": IMPORTS + PROGRAM, "stage": "weft"})["outcome"] == "right"
        assert worker.ask({"text": hanging, "stage": "weft"})["outcome"] == "hanging"
    finally:
        worker.stop()
