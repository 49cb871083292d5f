"""Texts that loops, branches and lists of a program hand on, made when it runs."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft

ARRAY = np.array([1.5, -2, 3, 0, 2.25, 7])


@pytest.fixture(autouse=True)
def _without_fallback_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", weft.FallbackWarning)
        yield


def grown_by_constants(x: Any) -> Any:
    s = ""
    for v in x:
        s += "*" if v > 0 else " "
    return s


def grown_by_formats(x: Any) -> Any:
    s = ""
    for v in x:
        if s:
            s += ", "
        s += f"{v:.2f}"
    return "[" + s + "]"


def grown_at_both_ends(x: Any) -> Any:
    s = "start"
    for v in x:
        if v > 2:
            s = s + f",{v}"
        elif v < 0:
            s = f"{v}," + s
        else:
            continue
        if len(s) > 12:
            break
    return s, len(s)


def rows_of_bars(x: Any) -> Any:
    rows = []
    for v in x:
        row, k = "", 0
        while k < v:
            row += "#"
            k += 1
        rows.append(row)
    return rows, "\n".join(rows)


def chosen_or_none(x: Any) -> Any:
    s = None
    if x.sum() > 3:
        s = f"sum {x.sum():.2f}"
    return s


def of_one_path(x: Any) -> Any:
    if x[0] > 100:
        raise ValueError("no")
    else:
        s = f"{x[0]}"
    return s


def longest(x: Any) -> Any:
    found = ("none", 0.0)
    text = ""
    for v in x:
        if len(f"{v:.3g}") > len(text):
            text = f"{v:.3g}"
        if v > found[1]:
            found = (f"v={v}", v)
    return text, found


def swapped(x: Any) -> Any:
    s, t = "a", "b"
    for v in x:
        if v > 1:
            s, t = t, s + t
    return s, t


def caught(x: Any) -> Any:
    s = ""
    try:
        for v in x:
            s += f"{v};"
            if v == 0:
                raise ValueError(f"zero after {s}")
    except ValueError as error:
        return str(error)
    return s


def list_methods(x: Any) -> Any:
    words = [f"w{int(v)}" for v in x]
    found = "w3" in words, words.index("w0"), words.count("w2"), max(words), min(words)
    words.pop()
    words.insert(0, "first")
    words.remove("w0")
    words.extend(["a", "b"])
    words[1] = "changed"
    return found, words, sorted(words, reverse=True), sorted(words, key=len), [w.upper() for w in words]


def returned_from_a_loop(x: Any) -> Any:
    words = [f"w{int(v)}" for v in x]
    for w, v in zip(words, x, strict=True):
        if w.endswith("3"):
            return w, v
    return None


def written_at_computed_places(x: Any) -> Any:
    names, row = [""] * 3, ["x"] * 4
    grid = [["."] * 4 for _ in range(3)]
    for v in x:
        k = int(abs(v))
        names[k % 3] = f"n{v}"
        row[k % 4] = row[k % 4] + "y"
        grid[k % 3][k % 4] = str(k)
    return names, row, grid


def keys(x: Any) -> Any:
    counts: dict[str, int] = {}
    for v in x:
        key = f"{int(v) % 3}"
        counts[key] = counts.get(key, 0) + 1
    return counts, "0" in counts, "x" in counts, sorted(counts)


def questions(x: Any) -> Any:
    s = ""
    for v in x:
        s += "ab" if v > 0 else "c"
    t = "up" if x[0] > 1 else "down"
    return s == "ababab", "abab" in s, s.upper(), s[::-1], s[2], len(t), t.startswith("u"), t.upper(), t * 2


def taken_apart(x: Any) -> Any:
    s = ""
    for v in x:
        s += f"{int(v)} "
    parts, t = s.split(), "a-b" if x[0] > 0 else "c-d"
    n = 0
    for word in parts:
        n = n * 2 + int(word)
    head, _, tail = s.partition(" ")
    return (
        parts,
        n,
        head,
        tail,
        list(s),
        sorted(s),
        max(s),
        set(s),
        t.split("-"),
        [part.strip() for part in s.split("3")],
    )


def classes(x: Any) -> Any:
    s, t = f"{x[0]}", "a" if x[0] > 1 else "b"
    return isinstance(s, str), isinstance(t, (int, str)), isinstance(s, int), type(s).__name__, type(t) is str


def reversed_text(x: Any) -> Any:
    s = ""
    for c in "the quick":
        if x[0] > 1:
            s = c + s
    return s


def letters(x: Any) -> Any:
    s = ""
    for v in x:
        s += chr(97 + int(abs(v)) % 26)
    return s, [ord(c) for c in s]


class Log:
    def __init__(self) -> None:
        self.text = ""

    def add(self, v: Any) -> None:
        self.text += f"[{v:.1f}]"


def attribute(x: Any) -> Any:
    log = Log()
    for v in x:
        if v > 0:
            log.add(v)
    return log.text


def named_arguments(x: Any) -> Any:
    text = "abcab" if x[0] > 0 else "xaya"
    return (
        text.split("a", maxsplit=1),
        text.expandtabs(tabsize=2),
        text.replace("a", "b"),
        text.splitlines(keepends=True),
    )


PROGRAMS: list[Callable[[Any], Any]] = [
    grown_by_constants, grown_by_formats, grown_at_both_ends, rows_of_bars, chosen_or_none, of_one_path, longest,
    swapped, caught, list_methods, returned_from_a_loop, written_at_computed_places, keys, questions, reversed_text,
    letters, attribute, taken_apart, classes, named_arguments,
]  # fmt: skip


@pytest.mark.sampled
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("size", [6, None], ids=["known", "unknown"])
def test_as_eagerly(program: Callable[[Any], Any], size: int | None) -> None:
    compiled = weft.function(program, input_signature=[weft.TensorSpec((size,), np.float64)])
    for x in (ARRAY, ARRAY * 1.25, ARRAY):
        assert repr(compiled(x)) == repr(program(x))


def digits(n: Any) -> Any:
    s = ""
    while n > 0:
        s = "0123456789abcdef"[n % 16] + s
        n //= 16
    return s


def look_and_say(n: Any) -> Any:
    s = "1"
    for _ in range(n):
        out, i = "", 0
        while i < len(s):
            j = i
            while j < len(s) and s[j] == s[i]:
                j += 1
            out += str(j - i) + s[i]
            i = j
        s = out
    return s


@pytest.mark.sampled
@pytest.mark.parametrize("program", [digits, look_and_say], ids=lambda program: program.__name__)
@pytest.mark.parametrize("n", [0, 5, 6])
def test_of_a_number(program: Callable[[Any], Any], n: int) -> None:
    assert weft.function(program)(np.int64(n)) == program(n)


def test_rows_of_a_picture() -> None:
    """Loops are recorded anew where their items turn out to be texts, and the call at the entry stays."""

    def picture(xs: Any, ys: Any, most: int) -> Any:
        rows = []
        for y in ys:
            row = ""
            for x in xs:
                z, c, n = 0, complex(x, y), 0
                while abs(z) < 2 and n < most:
                    z = z * z + c
                    n += 1
                row += "*" if n == most else " .:-"[n % 4]
            rows.append(row)
        return "\n".join(rows)

    compiled = weft.function(picture)
    for size in (4, 12):
        xs, ys = np.linspace(-2, 1, size), np.linspace(-1, 1, 6)
        assert compiled(xs, ys, 20) == picture(xs, ys, 20)


def test_calls_within_a_call_keep_their_own_texts() -> None:
    inner = weft.function(digits)
    found: list[str] = []

    @weft.function
    def outer(x: Any) -> Any:
        s = ""
        for v in x:
            weft.py_call(lambda v: found.append(inner(np.int64(v))), v)
            s += f"{v:.0f},"
        return s

    assert outer(np.arange(3.0) * 100) == "0,100,200,"
    assert found == ["", "64", "c8"]


def test_threads_keep_their_own_texts() -> None:
    compiled = weft.function(digits)
    compiled(np.int64(1))
    wrong: list[int] = []

    def run(first: int) -> None:
        wrong.extend(n for n in range(first, first + 30) if compiled(np.int64(n)) != digits(n))

    threads = [threading.Thread(target=run, args=(1000 * k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_long_text_is_no_square_of_its_length() -> None:
    from weft.frontend.runtime_values import kept_texts

    @weft.function
    def long(n: Any) -> Any:
        s = ""
        for i in range(n):
            s += "x" if i % 2 else "yy"
        return s

    assert long(np.int64(2001)) == "yyx" * 1000 + "yy"
    kept = kept_texts._texts.calls[-1].texts.values()
    assert sum(len(text) for text in kept if isinstance(text, str)) < 10_000


def test_what_calls_have_kept_is_given_up() -> None:
    from weft.frontend.runtime_values import kept_texts

    compiled, calls = weft.function(digits), []
    for n in range(5):
        compiled(np.int64(n + 16))
        calls.append(len(kept_texts._texts.calls))
    assert len(set(calls)) == 1
    assert len(kept_texts._texts.calls[-1].texts) < 10


def test_python_makes_them_in_each_iteration_which_is_said() -> None:
    @weft.function(input_signature=[weft.TensorSpec((None,), np.float64)])
    def compiled(x: Any) -> Any:
        s = ""
        for v in x:
            s += f"{v}"
        return s

    with pytest.warns(weft.FallbackWarning, match="a text is made in Python in each iteration"):
        compiled(ARRAY)


def test_texts_and_numbers_are_those_of_their_paths() -> None:
    def f(x: Any) -> Any:
        s: Any = 0
        if x[0] > 1:
            s = f"{x[0]}"
        return s

    for x in ([0.5], [2.5]):
        assert weft.function(f)(np.array(x)) == f(np.array(x))
