"""Names of dtypes: NumPy's mean what they mean in NumPy, those of type strings are for type strings."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft.dialect.dtypes import ELEMENT_TYPES, as_dtype
from weft.dialect.errors import WeftTypeError
from weft.dialect.types import parse_type

CODES = ("?", "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")


@pytest.mark.parametrize("code", CODES)
def test_type_codes_are_numpys(code):
    assert as_dtype(code) == np.dtype(code)
    assert weft.TensorSpec([2], code).dtype == np.dtype(code)
    x = np.array([1, 300])
    for given in (code, np.dtype(code).name, np.dtype(code), np.dtype(code).type):
        got = weft.function(lambda x, given=given: x.astype(given))(x)
        assert got.dtype == np.dtype(given)
        np.testing.assert_array_equal(got, x.astype(given))


def test_names_of_the_table():
    for row in ELEMENT_TYPES:
        assert as_dtype(row.name) == parse_type(f"{row.short}[2]").dtype == row.dtype


def test_short_names_say_what_to_write():
    with pytest.raises(WeftTypeError, match="'f32' is not a dtype; write 'float32'"):
        weft.TensorSpec([2], "f32")
    with pytest.raises(WeftTypeError, match="'f99' is not a dtype; the dtypes there are: bool, int8"):
        weft.TensorSpec([2], "f99")
