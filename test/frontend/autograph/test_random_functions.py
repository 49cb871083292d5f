"""Random programs of branches, loops and exits do compiled what they do eagerly."""

from __future__ import annotations

import pytest

from support.behaviour_harness import same
from support.random_functions import random_calls, random_function


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(24))
def test_small_programs(seed):
    same(random_function(seed, 6), *random_calls(seed), joined=True)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(100, 112))
def test_large_programs(seed):
    same(random_function(seed, 20), *random_calls(seed), joined=True)
