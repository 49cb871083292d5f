"""Each instruction of the check on a GPU alone, on the emulator, beside what a GPU gave where that is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from weft.backend.gpu.machine.assembler import assemble, find_assembler
from weft_emulator.gpu_check.conformance import difference, emulator, packed, run_case, unpacked
from weft_emulator.gpu_check.conformance_cases import CASES, Case

KEPT = Path(__file__).parent / "gpu_conformance.jsonl"
"""The lines of part `conformance` of a check on a card; `cp` puts them here."""


def _kept() -> dict[str, Any]:
    if not KEPT.exists():
        return {}
    return {line["program"]: line["results"] for line in map(json.loads, KEPT.read_text().splitlines())}


@pytest.mark.parametrize("name", CASES)
def test_the_emulator_gives_what_a_gpu_gave(name: str) -> None:
    case, kept = CASES[name], _kept()
    found = run_case(case, emulator())
    if name in kept:
        expected = [unpacked(text, array) for text, array in zip(kept[name], case.arrays, strict=True)]
        assert difference(case, expected, found) == {"ok": True}
    given = [array.reshape(-1).view(one.dtype) for one, array in zip(found, case.arrays, strict=True)]
    assert any(not np.array_equal(one, array) for one, array in zip(found, given, strict=True))


def test_what_differs_is_told() -> None:
    case = CASES["vote ballot"]
    found = run_case(case, emulator())
    other = [array.copy() for array in found]
    other[1][3] ^= 5
    told = difference(case, found, other)
    assert told["ok"] is False
    assert told["error"].startswith("1 of 32 words differ, the first at 3 of array 1: 0x")


def test_numbers_may_be_as_far_apart_as_is_granted() -> None:
    case = Case("", (), tolerance=1e-3, floats="f4")
    one, near, far = (np.array([x], np.float32).view(np.uint32) for x in (1.0, 1.0005, 1.01))
    assert difference(case, [near], [one]) == {"ok": True}
    assert difference(case, [far], [one])["ok"] is False


def test_nans_of_floats_are_alike_and_words_are_not() -> None:
    one, other = (np.array([bits], np.uint32) for bits in (0x7FFFFFFF, 0xFFC01234))
    assert difference(Case("", (), floats="f4"), [one], [other]) == {"ok": True}
    assert difference(Case("", ()), [one], [other])["ok"] is False


def test_results_are_kept_as_text() -> None:
    array = np.arange(7, dtype=np.uint32)
    np.testing.assert_array_equal(unpacked(packed(array), array), array)


@pytest.mark.skipif(find_assembler() is None, reason="there is no ptxas")
def test_an_assembler_takes_every_case() -> None:
    for text in {case.ptx for case in CASES.values()}:
        for kernel in assemble(text, "sm_90a").kernels.values():
            assert (kernel.spilled, kernel.stack) == (0, 0)
