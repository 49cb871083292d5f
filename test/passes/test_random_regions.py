"""Random branches, loops and calls: every pass, and the compiled result, against the reference interpreter.

`WEFT_TEST_SEEDS=1000:50` runs the programs of the seeds 1000 to 1049, as `make soak` does.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from support.outcomes import assert_same, compiled, interpreted, seeds
from support.programs import transform
from support.random_calls import Call, random_calls
from support.random_programs import Program
from support.random_regions import Branch, Loop, While, random_regions
from weft.passes.pipelines import CANONICALIZE

PIPELINES = (
    "promote-refs",
    "promote-refs,weft-fold",
    f"promote-refs,{CANONICALIZE}",
    "promote-refs,cse,weft-simplify",
    "weft-optimize",
)
TWICE = ("promote-refs", "weft-optimize")
"""What is run a second time on what it has made."""

DRAWN = (random_regions, random_calls)


@pytest.mark.sampled
@pytest.mark.parametrize("draw", DRAWN)
@pytest.mark.parametrize("seed", seeds(5))
def test_passes_keep_what_programs_do(seed: int, draw: Callable[[int], Program]) -> None:
    program = draw(seed)
    expected = interpreted(program.module(), program)
    for pipeline in PIPELINES:
        for module in (program.module(), program.dynamic_module()):
            for _ in range(1 + (pipeline in TWICE)):
                transform(module, pipeline)
                assert_same(interpreted(module, program), expected, program, pipeline)


@pytest.mark.sampled
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("draw", DRAWN)
@pytest.mark.parametrize("seed", seeds(3))
def test_compiled_programs_do_what_the_reference_does(
    seed: int, draw: Callable[[int], Program], dynamic: bool
) -> None:
    program = draw(seed)
    module = program.dynamic_module() if dynamic else program.module()
    expected = interpreted(program.module(), program)
    assert_same(compiled(module, program, expected), expected, program, "compiled")


def test_programs_use_every_structure() -> None:
    used = {type(part) for seed in range(20) for part in random_calls(seed).instructions}
    assert used >= {Branch, Call, Loop, While}


@pytest.mark.parametrize("draw", DRAWN)
def test_a_seed_gives_one_program(draw: Callable[[int], Program]) -> None:
    assert str(draw(3).module()) == str(draw(3).module())
