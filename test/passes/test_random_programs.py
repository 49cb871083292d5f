"""Random programs: every pass, and the compiled result, against the reference interpreter.

`WEFT_TEST_SEEDS=1000:50` runs the programs of the seeds 1000 to 1049, as `make soak` does.
"""

from __future__ import annotations

import numpy as np
import pytest

from support.op_uses import OF_VECTORS
from support.outcomes import assert_same, compiled, interpreted, seeds
from support.programs import transform
from support.random_programs import random_program
from weft.dialect.op import OPS

PIPELINES = (
    "promote-refs",
    "weft-fold",
    "weft-fold{max-elements=4}",
    "weft-simplify",
    "cse",
    "cse,weft-simplify",
    "canonicalize",
    "weft-optimize",
)
TWICE = ("weft-optimize",)
"""What is run a second time on what it has made."""


@pytest.mark.parametrize("seed", seeds(10))
def test_passes_keep_what_programs_do(seed: int) -> None:
    program = random_program(seed)
    expected = interpreted(program.module(), program)
    for pipeline in PIPELINES:
        for module in (program.module(), program.dynamic_module()):
            for _ in range(1 + (pipeline in TWICE)):
                transform(module, pipeline)
                assert_same(interpreted(module, program), expected, program, pipeline)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("seed", seeds(4))
def test_compiled_programs_do_what_the_reference_does(seed: int, dynamic: bool) -> None:
    program = random_program(seed)
    module = program.dynamic_module() if dynamic else program.module()
    expected = interpreted(program.module(), program)
    assert_same(compiled(module, program, expected), expected, program, "compiled")


def test_programs_use_every_op() -> None:
    used: set[str] = set()
    for seed in range(400):
        used |= {instruction.op.name for instruction in random_program(seed).instructions}
    without_value = {
        "empty",
        "gradient",
        "tangent",
        "pairs",
        "cotangent",
        "custom",
        *("lane", "lanes"),
        *("rank_barrier", "require_same", "start_send_receive", "finish_send_receive"),
        *("call_library", "call_loop", "call_ufunc", "fill_random"),
        *(name for name in OPS if name.startswith("random_")),
        *OF_VECTORS,
    }  # or with one that nobody knows
    assert used == set(OPS) - without_value


def test_a_seed_gives_one_program() -> None:
    first, second = random_program(3), random_program(3)
    assert str(first.module()) == str(second.module())
    assert all(
        np.array_equal(a, b, equal_nan=True) for a, b in zip(first.arguments, second.arguments, strict=True)
    )
