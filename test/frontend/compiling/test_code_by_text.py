"""Machine code that is found by the text of the trace, of programs that cannot be looked up before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.frontend.compiling import compile_function


@weft.do_not_convert
def library(x: Any, factor: float) -> Any:
    return np.sin(x) * factor


def function_of(factor: float) -> weft.Function[..., Any]:
    def program(x: Any) -> Any:
        return library(x, factor) / (1 if x.size else 2)

    return weft.function(program)


def test_code_is_found_by_the_text_of_the_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    code_of = compile_function.code_of

    def counted(module: Any, symbol: str, *options: Any) -> Any:
        made.append(symbol)
        return code_of(module, symbol, *options)

    monkeypatch.setattr(compile_function, "code_of", counted)
    x = np.arange(3.0)
    with weft.settings.scope(cache=True, cache_dir=str(tmp_path)):
        for factor, count in [(2.0, 1), (2.0, 1), (3.0, 2)]:
            function = function_of(factor)
            np.testing.assert_array_equal(function(x), np.sin(x) * factor)
            assert function.trace_count == 1
            assert len(made) == count
        assert len(function_of(2.0)(np.arange(4.0))) == 4  # another size
        assert len(made) == 3
        with weft.settings.scope(cache=False):
            function_of(2.0)(x)
        assert len(made) == 4


def test_errors_of_found_code_name_their_lines(tmp_path: Path) -> None:
    def program(x: Any, i: Any) -> Any:
        return library(x, 1.0)[i]  # here

    with weft.settings.scope(cache=True, cache_dir=str(tmp_path)):
        for _ in range(2):
            with pytest.raises(IndexError) as caught:
                weft.function(program)(np.arange(3.0), np.int64(7))
            assert caught.traceback[-1].lineno == program.__code__.co_firstlineno
