"""What becomes of algorithms that people write with loops: does it become a product, ops on arrays, a reduction."""

from __future__ import annotations

import re

import numpy as np
import pytest

import weft
from support.loop_spellings import SPELLINGS

OPS = {
    "product": r'"weft\.(contract|matmul|conv)"',
    "arrays": r'"weft\.\w+"\(.*tensor<\d+',
    "reduction": r'"weft\.(sum|max|min)"',
    "numbers": r"scf\.for",
}
"""What has to be in the optimised IR of a class."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SPELLINGS)
def test_class(name):
    """It is reached, no loops are left but those that the table says, and the values are Python's."""
    spelling = SPELLINGS[name]
    expected, found = spelling.arguments(24, "float64"), spelling.arguments(24, "float64")
    compiled = weft.function(spelling.program)
    text = compiled.get_concrete_function(*found).as_text("optimized")
    assert re.search(OPS[spelling.speed], text)
    assert len(re.findall(r"scf\.(?:for|while)", text)) == spelling.loops
    pairs = [(spelling.program(*expected), compiled(*found)), *zip(expected, found, strict=True)]
    for one, other in pairs:
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)
        if spelling.speed != "product":
            np.testing.assert_array_equal(other, one)


OF_UNKNOWN_SIZES = {
    "symmetric_slices": 2,
    "symmetric_named": 3,
    "symmetric_loops": 3,
    "stencil_rows": 1,
    "filter_named": 1,
    "filter_slices": 1,
    "filter_dots": 1,
    "solve_dots": 1,
    "solve_in_place": 2,
    "solve_columns": 2,
}
"""How many loops are left where not the same becomes of a program as with extents that are known."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", SPELLINGS)
def test_class_of_unknown_sizes(name):
    """What is checked in front of a loop is as fast; the copy with checks, which is for what fails, does not count."""
    spelling = SPELLINGS[name]
    specs = [weft.TensorSpec((None,) * x.ndim, x.dtype) for x in spelling.arguments(3, "float64")]
    compiled = weft.function(spelling.program, input_signature=specs)
    text = compiled.get_concrete_function().as_text("optimized")
    if name not in OF_UNKNOWN_SIZES:
        assert re.search(OPS[spelling.speed].replace(r"<\d+", r"<[?\d]+"), text)
    assert len(unchecked_loops(text)) == OF_UNKNOWN_SIZES.get(name, spelling.loops)


def unchecked_loops(text: str) -> list[str]:
    """The loops of a program that are not the copies of others for iterations that fail."""
    lines, found = text.splitlines(), []
    for number, line in enumerate(lines):
        if re.search(r"scf\.(?:for|while)", line):
            around = [other for other in range(number) if lines[other].lstrip() == "} else {"]
            indents = [len(lines[other]) - len(lines[other].lstrip()) for other in around]
            own = len(line) - len(line.lstrip())
            is_copy = any(
                indent < own
                and not any(
                    len(between) - len(between.lstrip()) <= indent for between in lines[other + 1 : number]
                )
                for other, indent in zip(around, indents, strict=True)
            )
            if not is_copy:
                found.append(line)
    return found
