"""Strings that conditions choose are joined to others at run time; others are made there."""

from __future__ import annotations

import enum
import sys

import numpy as np
import pytest

from support.behaviour_harness import refused, same
from weft.dialect.errors import UnsupportedError

F64, I64 = np.float64, np.int64


class TestChosenStrings:
    def test_they_are_joined_to_others(self):
        def signs(x):
            text = ""
            for value in x:
                text += "+" if value > 0 else "-"
            return text + "!", "(" + text + ")"

        same(signs, np.array([1.0, -1.0, 2.0]))

    def test_they_are_joined_to_strings_of_the_run(self):
        def describe(x):
            name = "positive" if x > 0 else "other"
            return name + f" {x:.2f}", f"{x:.2f} " + name

        same(describe, F64(1), F64(-1))

    @pytest.mark.filterwarnings("ignore:a text")  # that Python makes them in each iteration
    @pytest.mark.parametrize("use", [len, list, lambda text: text[0], lambda text: "s" in text])
    def test_what_needs_the_text_is_asked_of_each(self, use):
        def measure(x):
            return use("positive" if x > 0 else "other")

        same(measure, F64(1), F64(-1))

    def test_what_they_are_no_texts_for_is_refused(self):
        def measure(x):
            return ("positive" if x > 0 else "other").encode()

        refused(measure, F64(1), error=UnsupportedError, match="known only at run time")

    def test_as_an_item_of_a_set(self):
        def collect(x):
            names = {"zero"}
            names.add("positive" if x > 0 else "negative")
            return len(names), names

        same(collect, F64(1), F64(-1))


class Color(str, enum.Enum):
    RED = "red"
    BLUE = "blue"


def test_classes_of_what_conditions_choose():
    def classes(x):
        color = Color.RED if x > 0 else Color.BLUE
        mixed = "text" if x > 0 else len
        error = ValueError if x > 0 else dict
        return (
            isinstance(color, Color), isinstance(color, str), type(color) is Color, isinstance(mixed, str),
            callable(mixed), callable(error), callable(color),
        )  # fmt: skip

    same(classes, F64(1), F64(-1))
    same(lambda x: type("text" if x > 0 else len) is str, F64(1), F64(-1))


class TestStringsOfTheRun:
    def test_they_repeat_a_text(self):
        def bars(n):
            text = ""
            for i in range(3):
                text += "*" * (n - i) + "|"
            return text, n * "ab", "=" * int(n), f"{'#' * n:>5}", ("x" * (n + 1)).upper() * 2

        same(bars, I64(3), I64(0), I64(-2))
        same(lambda n: (0,) * n, I64(3), I64(0), I64(-2))

    def test_they_are_printed_where_they_are_made(self):
        def describe(x, n):
            for i in range(n):
                text = f"{i}: {x:.2f}"
                if x > 0:
                    text = text + " positive"
                    print(text)
                else:
                    print("other")

        same(describe, (F64(1), I64(2)), (F64(-1), I64(2)), (F64(-1), I64(0)))


def pieces(x):
    return (
        ",".join(str(v) for v in x),
        "".join(f"{i}={v:.1f};" for i, v in enumerate(x)),
        "-".join(map(str, x.tolist())),
        "".join(reversed(["a", f"{x[0]}"])),
        "".join("b" for _ in range(2)),
    )


@pytest.mark.filterwarnings("ignore:a text")  # that Python makes them in each iteration
def test_pieces_that_are_made_one_after_the_other_are_joined():
    same(pieces, np.arange(3.0), np.arange(30), traces=2)


def test_pieces_must_be_strings():
    same(lambda x: ",".join(v for v in x), np.arange(3), traces=None)
    same(lambda x: ",".join(), np.arange(3), traces=None)


class TestCharactersAtPlaces:
    def test_they_are_joined_and_compared(self):
        def picture(x):
            for row in x:
                print("".join(" .:#"[int(v)] for v in row))
            return {" ": 1, "#": 2, ".": 3, ":": 4}[" .:#"[x[0, 1]]], " .:#"[x[0, 1]] == "#"

        same(picture, np.array([[0, 3], [1, 2]]), np.array([[1, 2], [3, -4]]), traces=1)
        same(picture, np.arange(200).reshape(10, 20) % 4)

    def test_bytes_have_numbers(self):
        same(lambda i: (b"abc"[i], b"abc"[i] + 1), *map(I64, (0, 2, -3)))

    @pytest.mark.parametrize("text", ["abc", "x", b"abc"])
    def test_what_is_not_there_is_not_found(self, text):
        same(lambda i: text[i], *map(I64, (5, -7, 0)))

    @pytest.mark.skipif(sys.version_info < (3, 11), reason="older Pythons do not name the type")
    def test_wrong_indices_have_pythons_words(self):
        same(lambda i: "abc"[i], F64(1), traces=None)
        same(lambda i: b"abc"[i], F64(1), traces=None)

    def test_parts_of_bytearrays_are_refused(self):
        refused(
            lambda i: bytearray(b"abc")[i:],
            I64(1),
            error=UnsupportedError,
            match="a bytearray is indexed by a traced",
        )
