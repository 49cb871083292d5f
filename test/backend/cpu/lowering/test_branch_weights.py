"""Weights of branches in the text that LLVM gets."""

from __future__ import annotations

import numpy as np

import weft
from weft.backend.cpu.lowering.branch_weights import weigh_branches

EXPECTED = """define void @f(i1 %0) {
  %2 = call i1 @llvm.expect.i1(i1 %0, i1 false)
  br i1 %2, label %3, label %4
3:
  br i1 %0, label %4, label %5
"""


def test_only_branches_on_expected_conditions_have_weights() -> None:
    text = weigh_branches(EXPECTED)
    assert "br i1 %2, label %3, label %4, !prof !999999\n" in text
    assert "br i1 %0, label %4, label %5\n" in text
    assert text.endswith('!999999 = !{!"branch_weights", i32 1, i32 2000}\n')


def test_functions_have_names_of_their_own() -> None:
    text = weigh_branches(EXPECTED + EXPECTED.replace("@f", "@g"))
    assert text.count(", !prof") == 2
    assert text.count("!999999 =") == 1


def test_other_text_stays() -> None:
    text = EXPECTED.replace("call i1 @llvm.expect.i1(i1 %0, i1 false)", "xor i1 %0, true")
    assert weigh_branches(text) == text


def test_large_angles_and_special_powers_are_rare() -> None:
    x = np.linspace(0.5, 9, 64, dtype=np.float32)
    function = weft.function(lambda x: np.sin(x) ** x)
    assert function.get_concrete_function(x).as_text("llvm").count(", !prof !999999") == 2
