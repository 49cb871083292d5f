"""Strings that conditions choose are joined to others at run time; strings made at run time stay in their branch."""

from __future__ import annotations

import numpy as np
import pytest

from support.behaviour_harness import refused, same
from weft.dialect.errors import ConcreteValueError, ControlFlowError, UnsupportedError

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

    @pytest.mark.parametrize("use", [len, list, lambda text: text[0], lambda text: "a" in text])
    def test_what_needs_the_text_is_refused(self, use):
        def measure(x):
            return use("positive" if x > 0 else "other")

        refused(measure, F64(1), error=UnsupportedError, match="known only at run time", place=False)

    def test_as_an_item_of_a_set(self):
        def collect(x):
            names = {"zero"}
            names.add("positive" if x > 0 else "negative")
            return len(names)

        refused(
            collect, F64(1), error=UnsupportedError, match="key of a dict or an item of a set", place=False
        )


class TestStringsOfTheRun:
    def test_they_cannot_leave_a_branch(self):
        def describe(x):
            text = "none"
            if x > 0:
                text = f"{x:.2f}"
            return text

        refused(describe, F64(1), error=ControlFlowError, match="cannot be carried out of a branch")

    def test_they_cannot_grow_in_a_loop(self):
        def describe(n):
            text = ""
            for i in range(n):
                text += f"{i} "
            return text

        refused(describe, I64(3), error=ControlFlowError, match="cannot be carried out of a branch or loop")

    def test_they_repeat_a_text(self):
        def bars(n):
            text = ""
            for i in range(3):
                text += "*" * (n - i) + "|"
            return text, n * "ab", "=" * int(n), f"{'#' * n:>5}", ("x" * (n + 1)).upper() * 2

        same(bars, I64(3), I64(0), I64(-2))
        refused(lambda n: [0] * n, I64(3), error=ConcreteValueError, match="the length of a repeated list")

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


def test_pieces_that_are_made_one_after_the_other_are_joined():
    same(pieces, np.arange(3.0), np.arange(30), traces=2)


def test_pieces_must_be_strings():
    same(lambda x: ",".join(v for v in x), np.arange(3), traces=None)
    same(lambda x: ",".join(), np.arange(3), traces=None)
