"""Arrays of texts of fixed length: compared, counted, looked up and moved as NumPy does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.dialect.errors import ConcreteValueError, UnsupportedError

LETTERS = np.array(list("banana"))
WORDS = np.array(["ab", "a", "abc", "", "b", "a"])
MANY = "".join(map(chr, range(65, 500)))
ARRAYS = [
    LETTERS,
    WORDS,
    np.array(["é", "a", "日", "", "b", "a"]),
    WORDS.astype(">U3"),
    np.repeat(WORDS, 2)[::2],
]


def shown(value: Any) -> Any:
    """A value with the types of all that it holds."""
    if isinstance(value, (tuple, list)):
        return type(value), [shown(item) for item in value]
    if isinstance(value, dict):
        return type(value), [(shown(key), shown(item)) for key, item in value.items()]
    if isinstance(value, np.ndarray):
        return value.dtype.newbyteorder("="), value.shape, value.tolist()
    return type(value), value


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    """What a call gives and leaves in its arguments, or raises."""
    given = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    try:
        return shown(function(*given)), shown(given)
    except (KeyError, TypeError, IndexError) as error:
        return type(error), str(error).split("\n")[0]


def comparisons(s):
    return (
        s == "a", s != s[::-1], s < "b", s <= s[0], s > "ab", s >= "", s[0] == s[1], s[1] != "a", s[2] < "b", s == 1,
        np.equal(s, np.array(["a", "abcd", "b", "", "日", "x"])), (s == "a").sum(), np.count_nonzero(s),
        (s[:, None] == s[None, :]).astype(int), s.nonzero(), (s[0] == s[1]) is False,
    )  # fmt: skip


def moves(s):
    return (
        s[1:], s[s != "a"], s[[2, 0]], s[1], s.reshape(2, 3).T, s.copy(), s.astype("U5"),
        np.concatenate((s, ["q", "r"])), np.array(["q", "rs"]), np.array([["q"], [""]]), np.array("qu"),
        np.append(s, "q"), np.insert(s, 1, "w"), np.delete(s, 0), np.roll(s, 1), np.tile(s, 2), np.repeat(s, 2),
        np.split(s, 2), np.where(s == "a", "zz", s), np.select([s == "a", s == "b"], ["A", "B"], "C"),
        np.where(s == "a", "up", "downwards"), np.empty_like(s).shape, np.zeros(2, s.dtype), np.full_like(s, "k"),
        len(s), s.size, s.ndim, s.shape, {"k": s[0]}, np.full(2, "ab"),
    )  # fmt: skip


def orders(s):
    return (
        np.sort(s), s.argsort(), np.argsort(s, kind="stable"), np.unique(s), np.unique(s, return_counts=True),
        np.searchsorted(np.sort(s), "b"), np.isin(s, ["a", "b"]), s.argmax(), np.argmin(s),
    )  # fmt: skip


def writes(s):
    t = s.copy()
    for i in range(len(s)):
        t[i] = s[len(s) - 1 - i]
    s[0] = "longer than it is"
    s[s == "a"] = "x"
    s[-1:].fill("y")
    t.sort()
    return s, t


def walks(s):
    count, runs, last, codes = 0, 0, s[0], 0
    for c in s:
        if c in "GCb":
            count += 1
        if c not in ("a", "x"):
            count += 10
        if c in {"n", "b"}:
            count += 100
        if "a" in c:
            count += 1000
        if c:
            count += 10000
        if c != last:
            runs += 1
        if len(c) == 1:
            codes += ord(c)
        last = c
    return count, runs, last, codes, "a" in s, "q" in s


def lookups(s):
    kept, pairs = {"a": 0, "b": 0}, {"a": "t", "t": "a", "b": "c"}
    total, out = 0.0, np.empty(len(s), dtype=s.dtype)
    for i in range(len(s)):
        if s[i] in kept:
            kept[s[i]] += 1
        total += {"a": 1.5, "abc": 10.0}.get(s[i], 0.25)
        out[i] = pairs.get(s[i], "z")
    return kept, total, out


def missing(s):
    return {"a": 1, "b": 2}[s[0]]


def characters(s):
    return ord(s[0])


@pytest.mark.sampled
@pytest.mark.parametrize("array", ARRAYS, ids=["letters", "words", "not-ascii", "swapped", "strided"])
@pytest.mark.parametrize("program", [comparisons, moves, orders, writes, walks, lookups, missing, characters])
def test_programs(program: Callable[..., Any], array: np.ndarray[Any, Any]) -> None:
    if array.dtype.byteorder == ">" and program in (writes, lookups):
        pytest.skip("compiled code writes to arrays of the machine's own byte order")
    assert outcome(weft.function(program), array) == outcome(program, array)


def bytes_of_all_kinds(s, t):
    n = 0
    for c in s:
        if c == b"a" or c in b"xyn":
            n += 1
    s[0] = b"z"
    return (
        s,
        s == b"a",
        s != t,
        np.unique(t),
        n,
        b"a" in s,
        s[s > b"a"],
        np.where(s == b"a", t, b"other"),
        t.astype("S2"),
    )


def test_bytes() -> None:
    arguments = LETTERS.astype("S1"), WORDS.astype("S3")
    assert outcome(weft.function(bytes_of_all_kinds), *arguments) == outcome(bytes_of_all_kinds, *arguments)


def test_views_of_codes() -> None:
    def letters(s, codes):
        return s.view(np.uint8), codes.view("S1"), codes.view("S1") == b"a", s.view("S1")

    arguments = LETTERS.astype("S1"), np.frombuffer(b"abca", np.uint8)
    assert outcome(weft.function(letters), *arguments) == outcome(letters, *arguments)


def test_no_elements_and_unknown_sizes() -> None:
    @weft.function(input_signature=[weft.TensorSpec([None], "U1")])
    def f(s):
        return (s == "a").sum(), s[s != "a"], np.concatenate((s, s))

    for array in (LETTERS, LETTERS[:0], np.array(["", "a"])):
        assert shown(f(array)) == shown(
            ((array == "a").sum(), array[array != "a"], np.concatenate((array, array)))
        )
    assert f.trace_count == 1


def test_one_trace_for_all_texts_of_a_dtype() -> None:
    f = weft.function(lambda s: (s == "a").sum())
    assert f(LETTERS) == 3
    assert f(LETTERS[::-1]) == 3
    assert f(np.array(["x", "a", "a", "y", "a", "a"])) == 4
    assert f.trace_count == 1


def test_what_is_written_is_written_to_the_argument() -> None:
    @weft.function
    def f(s):
        s[1:][s[1:] == "a"] = "oo"
        return s[1:]

    s = np.array(["a", "a", "b"])
    made = f(s)
    assert s.tolist() == ["a", "o", "b"]
    assert np.shares_memory(made, s)


def test_one_text_is_a_constant() -> None:
    @weft.function
    def f(mode, x):
        return x + 1 if mode == "up" else x - 1

    assert f(np.str_("up"), np.ones(1)) == 2
    assert f(np.str_("down"), np.ones(1)) == 0
    assert f(np.bytes_(b"up"), np.ones(1)) == 0


def test_other_functions_are_called_at_run_time() -> None:
    def f(s):
        return np.strings.upper(s), np.strings.str_len(s), s + "x"

    for array in (LETTERS, WORDS):
        with pytest.warns(weft.FallbackWarning):
            assert shown(weft.function(f)(array)) == shown(f(array))


def test_texts_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    def f(s):
        print(s, s[0], f"{s[1]}!")
        return f"{s[2]}-{s[0]}"

    f(WORDS)
    expected = capsys.readouterr().out
    assert weft.function(f)(WORDS) == "abc-ab"
    assert capsys.readouterr().out == expected


def counted(s):
    counts: dict[Any, int] = {}
    for c in s:
        counts[c] = counts.get(c, 0) + 1
    return counts


@pytest.mark.parametrize(
    ("program", "error", "match"),
    [
        (counted, UnsupportedError, r"becomes a key of a dict or set.*np.unique\(x, return_counts=True\)"),
        (lambda s: s[0] + "x", UnsupportedError, r"is an operand of \+"),
        (lambda s: np.full(3, s[0]), UnsupportedError, "as long as the longest of values"),
        (lambda s: s[0].upper(), UnsupportedError, r"is asked for upper\(\).*np\.strings\.upper\(x\)"),
        (
            lambda s: s[0].dtype,
            UnsupportedError,
            r"dtype of one text tells how long it is.*ask the array \(x\.dtype\)",
        ),
        (lambda s: s[0][1], UnsupportedError, "is asked for its characters"),
        (lambda s: list(s[0]), UnsupportedError, "is walked"),
        (lambda s: s[0] * 2, UnsupportedError, r"is an operand of \*"),
        (lambda s: s.tolist(), UnsupportedError, "tolist of texts is not compiled"),
        (lambda s: 1 in s[0], TypeError, "'in <string>' requires string as left operand, not int"),
        (lambda s: float(s[0]), ConcreteValueError, "the value of traced texts.*known only when"),
        (lambda s: s < b"a", TypeError, "did not contain a loop"),
        (lambda s: s.astype("f8"), UnsupportedError, "astype of <U3 to float64 is not compiled"),
        (
            lambda s: s[0] in MANY,
            UnsupportedError,
            "comparisons, which is too many",
        ),
        (lambda s: np.where(s == "a", s, 1), (UnsupportedError, TypeError), "texts and of other values"),
        (lambda s: (s == "a").astype("U5"), UnsupportedError, "numbers as texts"),
    ],
)
def test_what_is_refused(program: Callable[..., Any], error: Any, match: str) -> None:
    words = np.array(["ab", "abc"])
    with pytest.raises(error, match=match):
        weft.function(program)(words)


def test_long_texts_are_refused() -> None:
    with pytest.raises(weft.WeftTypeError, match="dtype <U40, which compiled code cannot hold"):
        weft.function(lambda s: s == "a")(np.array(["x" * 40]))
