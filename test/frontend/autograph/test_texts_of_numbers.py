"""What programs ask the texts of computed numbers: how long they are, what is in them, and their characters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same
from support.interpreted import interpreted

NUMBERS = [0, 1, -1, 7, 255, -256, 999, 1000, 10**18, 2**63 - 1, -(2**63)]


def lengths(n: Any) -> Any:
    return [
        *(len(bin(n)), len(str(n)), len(hex(n)), len(oct(n)), len(f"{n:b}"), len(f"{n}"), len(f"<{n}>")),
        *(bin(n).count("1"), bin(n).count("0"), int(n).bit_length(), n.bit_count()),
    ]


def test_lengths_are_computed() -> None:
    compiled = interpreted(lengths)
    for number in NUMBERS:
        assert_same(compiled(np.int64(number)), lengths(np.int64(number)))
    compiled = weft.function(lambda n: (len(bin(n)), bin(n).count("1"), int(n).bit_length()))
    compiled(np.int64(5))
    assert "weft.python" not in compiled.get_concrete_function(np.int64(5)).as_text("optimized")


def asked(n: Any) -> Any:
    text, total = str(n), 0
    for digit in text:
        total += int(digit) ** len(text)
    found = [k for k in range(n) if "7" in str(k) or str(k).endswith("3")]
    return [
        *(
            total == n,
            text == text[::-1],
            text != "5",
            text < "6",
            "5" in text,
            text in ("5", "153"),
            text[0] == "1",
        ),
        *(sum(int(d) for d in str(n)), [int(d) for d in str(n)], found, text.find("5"), text.isdigit()),
        *(
            int(bin(n)[2:], 2),
            float(f"{n}"),
            1 if text[1:] else 0,
            bin(n)[2:].startswith("10"),
            text[-1].isalpha(),
        ),
    ]


@pytest.mark.filterwarnings("ignore::weft.FallbackWarning")
@pytest.mark.parametrize("number", [153, 5, 121])
def test_texts_are_looked_at(number: int) -> None:
    assert_same(interpreted(asked)(np.int64(number)), asked(np.int64(number)))


FAILING: list[Callable[[Any], Any]] = [
    lambda n: int(str(n) + "x"),
    lambda n: str(n).index("9"),
    lambda n: str(n)[n],
]


@pytest.mark.parametrize("function", FAILING)
def test_what_python_raises_is_raised(function: Callable[[Any], Any]) -> None:
    with pytest.raises((ValueError, IndexError)) as expected:
        function(np.int64(5))
    with pytest.raises((ValueError, IndexError)) as found:
        interpreted(function)(np.int64(5))
    assert type(found.value).__mro__[1:] == type(expected.value).__mro__[1:] or isinstance(
        found.value, type(expected.value)
    )
    assert str(expected.value) in str(found.value)


def test_other_methods_are_refused() -> None:
    with pytest.raises(TypeError, match="is made of traced values: its text is there only"):
        interpreted(lambda n: str(n).encode())(np.int64(5))


def binary(n: Any) -> Any:
    digits = []
    while n > 0:
        digits.append(n % 2)
        n = int(n / 2)
    return int("".join([str(digit) for digit in digits[::-1]]))


@pytest.mark.filterwarnings("ignore::weft.FallbackWarning")
def test_ints_of_texts_beyond_64_bits_are_those_of_python() -> None:
    compiled = weft.function(binary)
    for number in (5, 54, 123456789, 7, 10**7):
        assert_same(compiled(number), binary(number))


@pytest.mark.filterwarnings("ignore::weft.FallbackWarning")
def test_arrays_leave_no_constants_to_try_again_with() -> None:
    compiled = weft.function(binary)
    assert compiled(np.int64(5)) == 101
    with pytest.raises(
        weft.PythonNumberError, match=r"int returned 1[01]+, and compiled code has ints of 64 bits"
    ):
        compiled(np.int64(10**7))


def digits_in_a_row(n: Any, x: Any) -> Any:
    x[0] += 1
    try:
        return int(str(n) * 5)
    except OverflowError:
        return -1


def test_no_except_takes_an_int_that_compiled_code_lacks() -> None:
    compiled, array = weft.function(digits_in_a_row), np.zeros(1)
    assert compiled(np.int64(12), array) == 1212121212
    with pytest.raises(weft.PythonNumberError):
        compiled(np.int64(123456), array)
    assert array[0] == 2
