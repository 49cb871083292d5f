"""Calls of Python's own functions that have an effect: they are made when the program runs, from the user's line."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

import numpy as np

from ...dialect.callbacks import checked_results, name_of
from ...dialect.types import TensorType
from ..source.locations import range_of_frame, user_frames
from ..tracing.recorder import Recorder
from ..tracing.staging import host_call
from .calls_in_loops import call_of, note_call
from .outside_traces import outside_traces
from .values import Frozen


def call_later(
    trace: Recorder, function: Callable[..., Any], args: Any, kwargs: Any, result: type | None
) -> Any:
    """Record `function(*args, **kwargs)`, which gives None, or a Python number of the type `result`.

    The values are those of the place in the program. What looks at its caller, as `logging` and `warnings` do, finds
    the line of the user's.
    """
    name = name_of(function)
    trace.dependencies.refuse(f"{name}, which is called when the program runs")
    note_call(trace, call_of(function), "call it outside of the loop, if once is enough")
    frozen = Frozen(trace, (tuple(args), dict(kwargs)))
    thaw, types = frozen.thaw, [] if result is None else [TensorType((), np.dtype(result))]
    at_users_line = _caller()

    def call(*arrays: Any) -> list[Any]:
        given, named = thaw(arrays)
        made = at_users_line(function, given, named)
        return [] if result is None else checked_results(name, [np.asarray(made, np.dtype(result))], types)

    found = host_call(trace, outside_traces(call, name), frozen.operands, types)
    return found[0]._like_python(result) if found else None


def _caller() -> Callable[[Callable[..., Any], Any, Any], Any]:
    """What calls a function from a frame that looks like the user's: with its file, line, name and globals."""
    frames = user_frames(innermost=True)
    if not frames:
        return lambda function, args, kwargs: function(*args, **kwargs)
    frame = frames[0]
    place = range_of_frame(frame)
    code: CodeType = compile(
        "\n" * (place.line - 1) + "weft_function(*weft_args, **weft_kwargs)", place.file, "eval"
    ).replace(co_name=place.function)
    namespace = frame.f_globals

    def call(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        return eval(code, namespace, {"weft_function": function, "weft_args": args, "weft_kwargs": kwargs})

    return call
