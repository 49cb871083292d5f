"""Converted functions do what the originals do, with operators that mean what Python means."""

from __future__ import annotations

import pytest

from support.conversion import check
from support.conversion_programs import PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    function, calls = PROGRAMS[name]
    check(function, *calls)
