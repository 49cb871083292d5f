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
