"""What exported functions return keeps its numbers: programs in C were compiled with them."""

from __future__ import annotations

import re
from pathlib import Path

import weft
from weft.backend.cpu.export.interface import CODES, code_of
from weft.dialect.ops.state import EXCEPTIONS

COMPILED_WITH = {
    "WEFT_OK": 0,
    "WEFT_INDEX_ERROR": 1,
    "WEFT_VALUE_ERROR": 2,
    "WEFT_TYPE_ERROR": 3,
    "WEFT_ZERO_DIVISION_ERROR": 4,
    "WEFT_OVERFLOW_ERROR": 5,
    "WEFT_FLOATING_POINT_ERROR": 6,
    "WEFT_ARITHMETIC_ERROR": 7,
    "WEFT_ASSERTION_ERROR": 8,
    "WEFT_ATTRIBUTE_ERROR": 9,
    "WEFT_KEY_ERROR": 10,
    "WEFT_LOOKUP_ERROR": 11,
    "WEFT_NOT_IMPLEMENTED_ERROR": 12,
    "WEFT_RUNTIME_ERROR": 13,
    "WEFT_EXCEPTION": 14,
    "WEFT_UNBOUND_LOCAL_ERROR": 15,
    "WEFT_MEMORY_ERROR": 16,
    "WEFT_RECURSION_ERROR": 17,
    "WEFT_LIN_ALG_ERROR": 18,
    "WEFT_STOP_ITERATION": 19,
    "WEFT_CANCELLED": 20,
    "WEFT_DEVICE_ERROR": 21,
}
"""The numbers in programs of others: nothing here ever changes, more is added at the end."""


def test_every_exception_has_a_number_of_its_own() -> None:
    own = {name for name, error in EXCEPTIONS.items() if issubclass(error, weft.WeftError)}
    assert set(CODES) == {"OK", "Cancelled", "DeviceError", *EXCEPTIONS} - own
    assert len(set(CODES.values())) == len(CODES)


def test_exceptions_of_weft_have_the_number_of_what_they_derive_from() -> None:
    assert code_of("WeftValueError") == code_of("ValueError") == CODES["ValueError"]
    assert code_of("Cancelled") == CODES["Cancelled"]


def test_headers_have_the_numbers_that_programs_were_compiled_with(tmp_path: Path) -> None:
    doubled = weft.function(lambda x: x * 2).get_concrete_function(weft.TensorSpec([2], "float64"))
    header = Path(weft.export(tmp_path, doubled=doubled, kind="object")["header"]).read_text()
    told = {name: int(number) for name, number in re.findall(r"^  (WEFT_\w+) = (\d+)", header, re.MULTILINE)}
    assert len(told) == len(CODES)
    assert told.items() >= COMPILED_WITH.items()
