"""Random branches and loops: every pass, and the compiled result, against the reference interpreter.

`WEFT_TEST_SEEDS=1000:50` runs the programs of the seeds 1000 to 1049, as `make soak` does.
"""

from __future__ import annotations

import pytest

from support.outcomes import assert_same, interpreted, seeds
from support.programs import transform
from support.random_control_flow import Branch, Loop, While, random_control_flow

PIPELINES = (
    "promote-refs",
    "promote-refs,weft-fold",
    "promote-refs,canonicalize",
    "promote-refs,cse,weft-simplify",
    "weft-optimize",
    "weft-optimize,weft-optimize",
)


@pytest.mark.parametrize("seed", seeds(30))
def test_passes_keep_what_programs_do(seed: int) -> None:
    program = random_control_flow(seed)
    expected = interpreted(program.module(), program)
    for pipeline in PIPELINES:
        for module in (program.module(), program.dynamic_module()):
            transform(module, pipeline)
            assert_same(interpreted(module, program), expected, program, pipeline)


def test_programs_use_every_structure() -> None:
    used = {type(part) for seed in range(20) for part in random_control_flow(seed).instructions}
    assert used >= {Branch, Loop, While}


def test_a_seed_gives_one_program() -> None:
    assert str(random_control_flow(3).module()) == str(random_control_flow(3).module())
