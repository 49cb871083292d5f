"""Cells whose lines are tinted by what they became, and what functions show of themselves."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest

import weft
from weft.frontend.compiling.explanation import Decision
from weft.frontend.notebooks import shown
from weft.frontend.notebooks.tinted import TINTS, tinted
from weft.passes.notes import KINDS


def test_lines_have_the_color_of_what_costs_most():
    decisions = [
        Decision("vector", "cell", 1, "`y` runs in vectors of 8", (1, 3)),
        Decision("python", "cell", 3, "`f(x)` calls `f`", (3,)),
        Decision("fused", "cell", 4, "`z` is computed in one loop with <this>", (4,)),
        Decision("strided", "cell", 2, "`y[i, 0]` reads memory in steps of a row", (2,)),
        Decision("scalar", "elsewhere", 4, "not told here", (4,)),
    ]
    text = tinted("y = x + 1\nz = y & 3\nf(x)\nend\n#", "cell", decisions)
    lines = re.findall(r"<details class='(\w+)'>.*?</details>|<div class='line'>", text)
    assert lines == ["vector", "strided", "python", "other", ""]
    assert "y &amp; 3" in text
    assert "&lt;this&gt;" in text
    assert "not told here" not in text
    key = re.search(r"<div class='key'>(.*?)</div>", text)[1]
    assert re.findall(r">([^<]+)<", key) == ["calls Python", "steps through memory", "vector code"]


def test_tints_are_of_kinds():
    assert set(TINTS) <= set(KINDS)


def test_functions_show_what_was_compiled_and_why():
    function = weft.function(lambda x: x * 2, name="doubled")
    assert "doubled was not compiled yet: call it" in function._repr_html_()
    function(np.ones(3))
    text = function._repr_html_()
    assert "doubled: compiled for 1 signature, traced 1 time" in text
    assert "first call; doubled(x: f64[3])" in text


def test_concrete_functions_show_their_page_in_a_frame(monkeypatch: pytest.MonkeyPatch):
    concrete = weft.function(lambda x: x * 2).get_concrete_function(weft.TensorSpec((3,), "float64"))
    frame = concrete._repr_html_()
    page = html.unescape(re.search(r'srcdoc="(.*?)"', frame, re.S)[1])
    assert page.startswith("<!doctype html>")
    assert "</html>" in page
    monkeypatch.setattr(shown, "MOST", 100)
    assert "runs in vectors of" in concrete._repr_html_()
