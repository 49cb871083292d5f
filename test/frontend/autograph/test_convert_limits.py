"""Functions that are long or deeply nested convert in good time, or end in an error with a place."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from support.conversion import check, converted, define
from weft.dialect.errors import ConversionError
from weft.frontend.autograph.convert.printing import to_code
from weft.frontend.autograph.convert.unsupported import MAX_DEPTH


def lines(*texts: str) -> str:
    """The source of a function `f(x, y=0)`."""
    return "\n".join(["def f(x, y=0):", *texts]) + "\n"


@pytest.mark.sampled
@pytest.mark.parametrize("count", [60, 500])
@pytest.mark.parametrize("statement", ["return {i}", "raise ValueError({i})"])
def test_many_early_exits(count: int, statement: str) -> None:
    source = lines(
        *(f"    if x == {i}: {statement.format(i=i)}\n    y += {i}" for i in range(count)), "    return y"
    )
    check(define(source), (0,), (count // 2,), (count - 1,), (count,))


@pytest.mark.parametrize("count", [60, 500])
def test_many_jumps_in_a_loop(count: int) -> None:
    tests = (f"        if x == {i}: {('break', 'continue', 'return y')[i % 3]}" for i in range(count))
    source = lines("    for y in range(3):", *tests, "        x += 1", "    return x, y")
    check(define(source), (0,), (count - 1,), (count,), (-1,))


@pytest.mark.sampled
@pytest.mark.parametrize("count", [60, 300])
@pytest.mark.parametrize("body", ["y = {i}", "return {i}"])
def test_long_elif_chains(count: int, body: str) -> None:
    branches = (f"    {'elif' if i else 'if'} x == {i}:\n        {body.format(i=i)}" for i in range(count))
    source = lines(*branches, "    else:\n        y = -1", "    return y")
    check(define(source), (0,), (count // 2,), (count - 1,), (count,))


def test_elif_chains_between_early_returns() -> None:
    chain = "\n".join(f"    {'elif' if i else 'if'} x == {{}} + {i}:\n        return {i}" for i in range(20))
    source = lines(*(chain.replace("{}", str(100 * k)) + "\n    y += 1" for k in range(20)), "    return y")
    check(define(source), (0,), (1010,), (1919,), (5000,))


def test_many_cases() -> None:
    cases = (f"        case {i} | [{i}, _]:\n            return {i}" for i in range(200))
    source = lines("    match x:", *cases, "    return 'none'")
    check(define(source), (0,), (199,), ([150, 1],), (200,))


@pytest.mark.parametrize("depth", [15, 60])
def test_nested_conditions(depth: int) -> None:
    tests = [f"{' ' * (i + 1)}if x > {i}:" for i in range(depth)]
    source = lines(*tests, f"{' ' * (depth + 1)}y = x", f"{' ' * (depth + 1)}return y", " return y")
    check(define(source), (0,), (depth // 2,), (depth,))


def test_nested_loops() -> None:
    heads = [f"{' ' * (i + 1)}for y{i} in range(1):" for i in range(18)]
    source = lines(*heads, f"{' ' * 19}y += y17 + 1", f"{' ' * 19}if x: break", " return y")
    start = time.process_time()
    check(define(source), (0,), (1,))
    assert time.process_time() - start < 10


def test_long_sums_and_conditions() -> None:
    source = lines(f"    return {' + '.join(['x'] * 300)}, {' and '.join(['x'] * 1000)}, x{' < 1' * 50}")
    check(define(source), (0,), (1,))


@pytest.mark.parametrize(
    "text",
    [
        "(" * (MAX_DEPTH + 10) + "x" + " if x else y)" * (MAX_DEPTH + 10),
        "not " * (MAX_DEPTH + 10) + "x",
        "x" + ".y" * (MAX_DEPTH + 10),
        "x" + "()" * (MAX_DEPTH + 10),
    ],
)
def test_deep_expressions_are_refused(text: str) -> None:
    function = define(lines("    z = 1", f"    return {text}"))
    with pytest.raises(ConversionError, match=f"nested more than {MAX_DEPTH} levels deep") as error:
        converted(function)
    assert error.value.lineno == 3


@pytest.mark.parametrize("call_depth", [0, 500, 900])
def test_deep_code_never_exhausts_a_stack(call_depth: int) -> None:
    """The limit is kept wherever the conversion is asked for; what does not fit ends in an error, too."""
    program = f"""
import sys
sys.path.insert(0, "test")
from support.conversion import converted, define
from weft.dialect.errors import ConversionError
depth = {MAX_DEPTH - 6}
tests = [" " * (i + 1) + f"if x > {{i}}:" for i in range(depth // 2)]
value = "(" * (depth // 2) + "x" + " if x else 0)" * (depth // 2)
source = "def f(x):\\n" + "\\n".join(tests) + "\\n" + " " * (depth // 2 + 1) + f"return {{value}}\\n"
function = define(source)

def call(n):
    return call(n - 1) if n else converted(function)(1000)

try:
    print(call({call_depth}))
except ConversionError as error:
    print("refused", error.lineno)
except RecursionError:
    print("too deep to run")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in ("1000", "refused 1", "too deep to run")
    if not call_depth:
        assert done.stdout.strip() == "1000"


def in_good_time(function: Callable[..., Any], seconds: float) -> Any:
    """The converted function, in so many seconds of a processor."""
    start = time.process_time()
    result = converted(function)
    assert time.process_time() - start < seconds
    return result


def test_long_functions() -> None:
    texts = []
    for i in range(1000):
        texts += [
            f"    a{i} = x + {i}",
            f"    if a{i} > y:",
            f"        y = a{i} * 2",
            "    else:",
            "        y -= 1",
        ]
    function = define(lines(*texts, "    return y"))
    assert in_good_time(function, 15)(1) == function(1)


def test_long_straight_functions() -> None:
    texts = [f"    a{i % 100} = x + {i} if x else a{i % 50}" for i in range(5000)]
    function = define(lines(*texts, "    return a99"))
    assert in_good_time(function, 15)(1) == 5000


def test_converted_source_of_deep_code_can_be_shown() -> None:
    tests = [f"{' ' * (i + 1)}if x > {i}:" for i in range(30)]
    assert "if_" in to_code(define(lines(*tests, f"{' ' * 31}y = x", " return y")))
