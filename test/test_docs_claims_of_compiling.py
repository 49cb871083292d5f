"""What the pages on control flow, the disk cache, machines, GPUs and exported libraries say in sentences, tried."""

from __future__ import annotations

import csv
import json
import logging
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import weft
from support.claims import Claims, refused, require
from weft.backend.processors.families import family_of
from weft.backend.target import named
from weft.tools.weft_command import main

CLAIMS = Claims()
claim = CLAIMS.claim
X: Any = np.arange(6.0)
VECTOR = weft.TensorSpec([None], "float64")


@claim(
    "autograph.md",
    "Without one a function is traced as it is, which is all it takes as long as no array decides in it",
)
def _() -> None:
    made: dict[str, Any] = {}
    exec(
        "def plain(x):\n    return x * 2\n\n\ndef decides(x):\n    if x > 0:\n        return x\n    return -x\n",
        made,
    )
    np.testing.assert_array_equal(weft.function(made["plain"])(X), X * 2)
    with pytest.raises(weft.WeftError, match="source"):
        weft.function(made["decides"])(np.float64(2))


@claim("autograph.md", "`if`, `while`, `and`, `or`, `not`, `a if c else b`, `assert`, guards of `match`")
def _() -> None:
    @weft.function
    def chosen(x: Any) -> Any:
        assert x < 100, "large"
        y = 1 if x > 2 and not x > 8 else 2
        match y:
            case 1 if x > 4:
                y = 3
        while y < x or y < 2:
            y = y * 2
        return y

    assert [chosen(np.float64(x)) for x in (1.0, 3.0, 5.0, 9.0)] == [2, 4, 6, 16]
    assert chosen.trace_count == 1
    with pytest.raises(AssertionError, match="large"):
        chosen(np.float64(100))


@claim("autograph.md", "`weft.unroll(iterable)` unrolls in any case, `weft.range(n)` never does")
def _() -> None:
    def looped(over: Callable[[int], Any]) -> str:
        def total(x: Any) -> Any:
            s = 0.0
            for i in over(4):
                s = s + x[i] * i
            return s

        return weft.function(total).get_concrete_function(X).as_text("weft")

    assert "scf.for" in looped(weft.range)
    assert "scf.for" not in looped(lambda n: weft.unroll(range(n)))
    with weft.settings.scope(max_trace_ops=1000):  # however long it is
        refused(lambda x: sum_of_steps(x, weft.unroll(range(10_000))), X, error=weft.TraceSizeError)


def sum_of_steps(x: Any, steps: Any) -> Any:
    for i in steps:
        x = x + i
    return x


@claim("autograph.md", "Longer ones are staged")
def _() -> None:
    @weft.function
    def total(x: Any) -> Any:
        s = 0.0
        for i in range(weft.settings.unroll_limit + 1):
            s = s + x[i]
        return s

    assert "scf.for" in total.get_concrete_function(np.ones(20)).as_text("weft")


@claim("autograph.md", "`print` and `weft.py_call`, which ask for Python, give none.")
def _() -> None:
    seen: list[float] = []

    @weft.function
    def tells(x: Any) -> Any:
        for v in x:
            weft.py_call(lambda value: seen.append(float(value)), v)
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tells(np.arange(40.0))
    assert seen == list(range(40))


@claim("autograph.md", "an index out of range is that of the nearest")
def _() -> None:
    function = weft.function(lambda i, x: weft.switch(i, [lambda x: x, lambda x: -x], x))
    assert [function(np.int64(i), np.float64(3)) for i in (-5, 0, 1, 7)] == [3, 3, -3, -3]


@claim("autograph.md", "it keeps its structure, shapes and dtypes (`TypeError` otherwise, eagerly, too)")
def _() -> None:
    def widens(x: Any) -> Any:
        return weft.while_loop(lambda carry: carry.sum() < 9, lambda carry: np.concatenate([carry, carry]), x)

    refused(widens, np.ones(2), error=TypeError)
    with pytest.raises(TypeError):
        widens(np.ones(2))


@claim("autograph.md", "so that no rows give empty arrays of the right shapes")
def _() -> None:
    scan = weft.function(lambda xs: weft.scan(lambda s, x: (s + x.sum(), x[:2] * 2), 0.0, xs)[1])
    assert scan(np.zeros((0, 5))).shape == (0, 2)


@claim("autograph.md", "reading it where it is not is Python's `UnboundLocalError`")
def _() -> None:
    @weft.function
    def sometimes(x: Any) -> Any:
        if x > 0:
            y = x
        return y

    assert sometimes(np.float64(2)) == 2
    with pytest.raises(UnboundLocalError):
        sometimes(np.float64(-2))


@claim("autograph.md", "using it then is Python's `TypeError` or `AttributeError`")
def _() -> None:
    @weft.function
    def added(x: Any) -> Any:
        found = None
        if x > 0:
            found = x
        return found + 1  # type: ignore[operator]

    assert added(np.float64(2)) == 3
    with pytest.raises(TypeError):
        added(np.float64(-2))


@claim(
    "autograph.md", "one of several strings, functions or objects, which can be compared, called and returned"
)
def _() -> None:
    @weft.function
    def named_sign(x: Any) -> Any:
        name, function = ("positive", np.sin) if x > 0 else ("negative", np.cos)
        return name, name == "positive", function(x)

    assert named_sign(np.float64(1)) == ("positive", True, np.sin(1.0))
    assert named_sign(np.float64(-1)) == ("negative", False, np.cos(-1.0))


@claim("autograph.md", "another number of items than targets raises Python's `ValueError`")
def _() -> None:
    @weft.function
    def halves(n: Any) -> Any:
        items = []
        while n > 1:
            items.append(n)
            n = n // 2
        first, *rest = items
        a, b = items
        return first, rest, a, b

    assert halves(np.int64(4)) == (4, [2], 4, 2)
    with pytest.raises(ValueError, match="unpack"):
        halves(np.int64(16))


@claim("autograph.md", "A missing key is a `KeyError` with the key")
def _() -> None:
    @weft.function
    def looked_up(keys: Any, wanted: Any) -> Any:
        places = {}
        for i in range(len(keys)):
            places[int(keys[i])] = i
        return places[int(wanted)]

    assert looked_up(np.array([5, 7]), np.int64(7)) == 1
    with pytest.raises(KeyError) as caught:
        looked_up(np.array([5, 7]), np.int64(8))
    assert caught.value.args == (8,)


@claim("autograph.md", "A NaN that is put in raises a `ValueError`")
def _() -> None:
    @weft.function
    def counted(x: Any) -> Any:
        counts: dict[float, int] = {}
        for v in x:
            counts[float(v)] = counts.get(float(v), 0) + 1
        return counts

    assert counted(np.array([0.0, -0.0, 1.0])) == {0.0: 2, 1.0: 1}  # zeros of either sign are one key
    with pytest.raises(ValueError, match="a nan is a key"):
        counted(np.array([np.nan]))


@claim("autograph.md", "**Order** is that of insertion.")
def _() -> None:
    @weft.function
    def firsts(keys: Any) -> Any:
        found: OrderedDict[int, int] = OrderedDict()
        for i in range(len(keys)):
            found.setdefault(int(keys[i]), i)
        return found

    assert list(firsts(np.array([9, 2, 9, 5])).items()) == [(9, 0), (2, 1), (5, 3)]


@claim(
    "autograph.md",
    "writing an entry twice, or reading one twice that is cleared after reading, a `ValueError`",
)
def _() -> None:
    def twice(x: Any) -> Any:
        return weft.TensorArray(x.dtype, size=2).write(0, x).write(0, x).read(0)

    refused(twice, X, error=ValueError)
    with pytest.raises(ValueError, match=r"twice|again|already"):
        twice(X)


@claim(
    "autograph.md",
    "where they are Python's again; a dict of the caller's gets the new entries after the call",
)
def _() -> None:
    @weft.function
    def entered(table: Any, keys: Any) -> None:
        for k in keys:
            table[int(k)] = int(k) * 2

    table = {1: 0}
    entered(table, np.array([1, 4]))
    assert table == {1: 2, 4: 8}


@claim("autograph.md", "Dicts and sets as values are refused")
def _() -> None:
    def nested(keys: Any) -> Any:
        table: dict[int, dict[int, int]] = {}
        for k in keys:
            table[int(k)] = {int(k): 1}
        return table

    refused(nested, np.array([1, 2]))


@claim(
    "autograph.md",
    "When the loop is left, the generator ends where it\nstands, and its `finally` blocks run.",
)
def _() -> None:
    ended: list[str] = []

    def counting() -> Iterator[int]:
        try:
            yield from range(10)
        finally:
            ended.append("finally")

    def first_above(x: Any) -> Any:
        for i in counting():
            if i > x:
                return i
        return -1

    assert weft.function(first_above)(np.int64(3)) == 4
    assert ended


@claim("autograph.md", "`any` and `all` of a generator expression that calls functions ask its items in turn")
def _() -> None:
    asked: list[float] = []

    def large(v: Any) -> Any:
        weft.py_call(lambda value: asked.append(float(value)), v)
        return v > 2

    assert weft.function(lambda x: any(large(v) for v in x))(X)
    assert asked == [0, 1, 2, 3]


@claim("autograph.md", "What cannot be joined is a `ControlFlowError`, which names the variables.")
def _() -> None:
    def ranks(x: Any) -> Any:
        y = x
        if x.sum() > 0:
            y = x[None]
        return y

    with pytest.raises(weft.ControlFlowError, match="y"):
        weft.function(ranks)(X)


@contextmanager
def own_cache() -> Iterator[Path]:
    """A disk cache that is empty, until the end of the block."""
    with TemporaryDirectory() as folder, weft.settings.scope(cache=True, cache_dir=folder):
        yield Path(folder)


LIMIT = 1.5


def limited(x: Any) -> Any:
    return np.minimum(x, LIMIT)


@claim("cache.md", "`trace_count` does not count it")
def _() -> None:
    with own_cache():
        first, second = weft.function(limited), weft.function(limited)
        np.testing.assert_array_equal(first(X), second(X))
        assert (first.trace_count, second.trace_count) == (1, 0)
        assert "minimum" in second.get_concrete_function(X).as_text(
            "weft"
        )  # `as_text` traces the function after all


@claim("cache.md", "It is used only where all of that is the same now")
def _() -> None:
    global LIMIT
    with own_cache():
        weft.function(limited)(X)
        before, LIMIT = LIMIT, 2.5
        try:
            other = weft.function(limited)
            np.testing.assert_array_equal(other(X), np.minimum(X, 2.5))
            assert other.trace_count == 1
        finally:
            LIMIT = before
        again = weft.function(limited)  # for each state of these that was met
        again(X)
        assert again.trace_count == 0


@claim("cache.md", "raises the same errors at the same lines")
def _() -> None:
    def taken(x: Any, i: Any) -> Any:
        return x[i]

    said = []
    with own_cache():
        for _ in range(2):
            with pytest.raises(IndexError) as caught:
                weft.function(taken)(X, np.int64(9))
            frame = caught.traceback[-1]
            said.append((str(caught.value), frame.lineno + 1))
    assert said[0] == said[1] == (said[0][0], taken.__code__.co_firstlineno + 1)


@claim("cache.md", "removes everything")
def _() -> None:
    with own_cache() as folder:
        weft.function(limited)(X)
        assert sum(path.is_file() for path in folder.rglob("*")) > 0
        assert main(["cache", "clear"]) == 0
        function = weft.function(limited)
        function(X)
        assert function.trace_count == 1


@claim(
    "cache.md",
    "writes all compiled code to one file",
)
def _() -> None:
    with TemporaryDirectory() as folder:
        file = str(Path(folder) / "code.zip")
        with own_cache():
            weft.function(limited)(X)
            assert main(["cache", "export", file]) == 0
        with own_cache():
            assert main(["cache", "import", file]) == 0
            function = weft.function(limited)
            function(X)
            assert function.trace_count == 0


def why_not_stored(function: Any, *arguments: Any) -> list[str]:
    """What the log says of a function that is not stored."""
    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("weft.cache")
    with own_cache(), weft.settings.scope(log="cache"):
        logger.addHandler(handler)
        try:
            weft.function(function)(*arguments)
        finally:
            logger.removeHandler(handler)
    return [text for text in said if text.startswith("not stored")]


class Sized:
    def __init__(self) -> None:
        self.scale = 2.0

    def __len__(self) -> int:
        return 3


@claim("cache.md", "objects of classes with special methods such as `__getattr__`, `__len__` or operators")
def _() -> None:
    sized = Sized()
    assert why_not_stored(lambda x: x * sized.scale, X)


WORDS, NUMBERS = {"a", "bc"}, {1, 2}


@claim("cache.md", "whose trace may have walked a set of strings that is found around the function")
def _() -> None:
    def walked(x: Any) -> Any:
        return sum([x * len(word) for word in WORDS], 0 * x)

    assert any("order of a set" in said for said in why_not_stored(walked, X))


@claim("cache.md", "`in` does not walk; sets of numbers are compared in their order")
def _() -> None:
    assert not why_not_stored(lambda x: x * ("a" in WORDS), X)
    assert not why_not_stored(lambda x: sum([x * number for number in NUMBERS], 0 * x), X)


@claim("cache.md", "that are given a set: pass a sorted tuple")
def _() -> None:
    def counted(x: Any, members: Any) -> Any:
        return x * len(members)

    assert why_not_stored(counted, X, {1, 2})
    assert not why_not_stored(counted, X, (1, 2))


@claim("cache.md", "what depends on the process (`id`, the locale), the time, loggers")
def _() -> None:
    def keyed(x: Any) -> Any:
        return x + (id(X) > 0)

    (said,) = why_not_stored(keyed, X)
    assert "id, of which it is not known that it does nothing else than compute" in said


@claim("cache.md", "that use modules as values, but for NumPy, weft, `math` and the like")
def _() -> None:
    def chosen(x: Any) -> Any:
        return [np][0].sin(x)

    def quoted(x: Any) -> Any:
        return x + [csv][0].QUOTE_ALL

    assert not why_not_stored(chosen, X)
    assert any("used as a value" in said for said in why_not_stored(quoted, X))


@claim("cache.md", "they are those of the process: of a variable its dtype, shape and name are compared")
def _() -> None:
    with own_cache():
        found = []
        for start in (1.0, 5.0):
            variable = weft.Variable(np.full(2, start), name="level")
            function = weft.function(lambda x, variable=variable: x + variable)
            found.append((function(np.zeros(2))[0], function.trace_count))
    assert [value for value, _ in found] == [1.0, 5.0]


@claim("machine.md", "for a level such as `x86-64-v3`, for a processor with 32 KiB, 1 MiB and 16 MiB")
def _() -> None:
    processor = named("x86-64-v3").processor
    sizes = processor.first_level_cache, processor.second_level_cache, processor.last_level_cache
    assert sizes == (32 << 10, 1 << 20, 16 << 20)


@claim("machine.md", "is made for the caches of its family")
def _() -> None:
    family = family_of("znver4")
    assert family is not None
    assert named("znver4").processor.second_level_cache == family.second_level_cache != 1


@claim(
    "machine.md",
    "depends on the width of vectors, and not on caches or families",
)
def _() -> None:
    values = np.random.default_rng(0).normal(size=(301, 201))
    targets = [target for target in ("native", "x86-64-v2", "x86-64-v3") if runs_here(target)]
    bits: dict[int, set[Any]] = {}
    for target in targets:
        sums = weft.function(lambda x: (x.sum(), x.mean(axis=0).sum(), (x @ x.T).sum()), target=target)(
            values
        )
        bits.setdefault(named(target).vector_bytes, set()).add(sums)
    assert all(len(found) == 1 for found in bits.values())


def runs_here(target: str) -> bool:
    """Whether this machine has what a level needs."""
    try:
        weft.function(lambda x: x + 1, target=target)(X)
    except weft.UnsupportedError:
        return False
    return True


@contextmanager
def exported(**options: Any) -> Iterator[dict[str, Any]]:
    """Files of a function that is exported, by what they are."""
    scaled = weft.function(lambda x, factor: x * factor, name="scaled")
    concrete = scaled.get_concrete_function(VECTOR, weft.TensorSpec([], "float64"))
    with TemporaryDirectory() as folder:
        yield weft.export(folder, scaled=concrete, **{"kind": "object", **options})


@claim("export.md", "Numbers (arrays without axes) are passed by value")
def _() -> None:
    with exported() as files:
        text = Path(files["header"]).read_text()
    assert "const double *x, int64_t x_0, double factor, double *result" in text


@claim("export.md", "The numbers of exceptions are those of all versions.")
def _() -> None:
    with exported() as files:
        text = Path(files["header"]).read_text()
    codes = ("OK", "INDEX_ERROR", "VALUE_ERROR", "TYPE_ERROR", "ZERO_DIVISION_ERROR", "OVERFLOW_ERROR")
    for code, name in enumerate(codes):
        assert f"WEFT_{name} = {code}," in text


@claim("export.md", "what is not named is `x86-64-v2` or `aarch64`, which most machines run")
def _() -> None:
    with exported() as files:
        manifest = json.loads(Path(files["manifest"]).read_text())
    assert "x86-64-v2" in json.dumps(manifest) or "aarch64" in json.dumps(manifest)


@claim("export.md", "Loops look at it, and end the call with `WEFT_CANCELLED`\nonce it is not 0.")
def _() -> None:
    with exported(kind="llvm") as files:
        text = Path(files["header"]).read_text()
    assert "WEFT_CANCELLED" in text


@claim("export.md", "with an error nothing is written")
def _() -> None:
    def counted(x: Any) -> Any:
        weft.py_call(print, x)
        return x

    with TemporaryDirectory() as folder:
        with pytest.raises(weft.NotPortable):
            weft.export(folder, counted=weft.function(counted).get_concrete_function(VECTOR), kind="object")
        assert list(Path(folder).iterdir()) == []


@claim("export.md", "Several functions share a library and a state")
def _() -> None:
    total = weft.Variable(np.zeros(2))

    def add(x: Any) -> None:
        total.assign_add(x)

    def get() -> Any:
        return total + 0

    pair = weft.TensorSpec([2], "float64")
    with TemporaryDirectory() as folder:
        concretes = {
            "add": weft.function(add).get_concrete_function(pair),
            "get": weft.function(get).get_concrete_function(),
        }
        files = weft.export(folder, kind="object", library="sums", **concretes)
        text = Path(files["header"]).read_text()
    assert "sums_new(" in text
    assert text.count("sums_state *") >= 3


@contextmanager
def gpus() -> Iterator[None]:
    """Emulated ones."""
    pytest.importorskip("weft_emulator")
    with weft.settings.scope(cuda="emulator"):
        yield


@claim("gpu.md", "a function is compiled once for arrays of the processor and once for those of a GPU")
def _() -> None:
    with gpus():
        function = weft.function(lambda x: x + 1)
        x = weft.device_put(X)
        for argument in (X, x, X, x):
            assert isinstance(function(argument), np.ndarray if argument is X else weft.DeviceArray)
        assert function.trace_count == 2


@claim("gpu.md", "from 1 MiB on a `weft.TransferWarning` says once which argument it is")
def _() -> None:
    with gpus():
        function = weft.function(lambda x, table: x + table[:6].sum())
        x = weft.device_put(X)
        with pytest.warns(weft.TransferWarning, match="table"):
            function(x, np.ones(1 << 17))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            function(x, np.ones(1 << 17))


@claim("gpu.md", "an array of the GPU that the function writes is the caller's")
def _() -> None:
    @weft.function
    def cleared(x: Any) -> None:
        x[1:3] = 0

    with gpus():
        x = weft.device_put(X)
        cleared(x)
        np.testing.assert_array_equal(np.asarray(x), [0, 0, 0, 3, 4, 5])


@pytest.mark.parametrize(("page", "words", "tried"), CLAIMS.parameters())
def test_what_a_page_says_is_so(page: str, words: str, tried: Callable[[], None]) -> None:
    require(page, words)
    tried()
