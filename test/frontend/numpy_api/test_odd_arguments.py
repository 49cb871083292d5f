"""Every function, method and ufunc with an odd argument: no exception leaves weft from inside.

`python -m support.odd_calls --seconds 600` in the folder of tests makes more calls.
"""

from __future__ import annotations

import zlib

import pytest

from support.numpy_targets import TARGETS
from support.odd_calls import has_data, odd_call, wrong

CALLS = 1


@pytest.mark.sampled(3)
@pytest.mark.parametrize("part", range(4))
def test_odd_arguments(part: int) -> None:
    found, made = [], 0
    for target in TARGETS[part::4]:
        if target.name.startswith(".__"):
            continue
        first = zlib.crc32(target.name.encode())
        for call in (odd_call(seed, target) for seed in range(first, first + CALLS)):
            if has_data(call):
                made += 1
                if how := wrong(call):
                    found.append(f"{call}: {how}")
    assert not found, "\n".join(found)
    assert made > len(TARGETS) // 8
