"""The options of `weft.function`, and what it does in the place of those that other compilers have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...backend.gpu.devices.names import device_number
from ...dialect.errors import WeftTypeError, WeftValueError

_COMPILES = "every function is compiled to machine code; with weft.eager(), it runs as Python"
_RELAXES = (
    "a size or Python number that changes from call to call is data from then on, without being asked for; an "
    "input_signature with None fixes from the start which sizes vary"
)
_CONVERTS = "all of Python's statements and builtins are converted; autograph=False turns that off"
_STATIC = (
    "arrays are data, and strings, bools, None and objects are constants of the code, without being named"
)
_WRITES = "arrays that the function writes are written in place, and no others"
_ROUNDS = "arithmetic is NumPy's, rounded as NumPy rounds"

_ANSWERS = {
    "jit": _COMPILES,
    "compile": _COMPILES,
    "mode": _COMPILES,
    "forceobj": _COMPILES,
    "inline": "functions that are called are part of the code, without being named",
    "signature": "input_signature= says which types and sizes calls must have",
    "static": _STATIC,
    "jit_compile": _COMPILES,
    "reduce_retracing": _RELAXES,
    "experimental_relax_shapes": _RELAXES,
    "experimental_compile": _COMPILES,
    "experimental_autograph_options": _CONVERTS,
    "experimental_follow_type_hints": "annotations change nothing; an input_signature says what calls must fit",
    "experimental_implements": "functions are known by what they compute, and need no names of kernels",
    "experimental_attributes": "what a compiled function needs is found in its code",
    "static_argnums": _STATIC,
    "static_argnames": _STATIC,
    "donate_argnums": _WRITES,
    "donate_argnames": _WRITES,
    "nopython": "strict=True makes an error of what cannot be converted",
    "fullgraph": "strict=True makes an error of what cannot be converted",
    "dynamic": _RELAXES,
    "backend": "target= or device= says what to compile for",
    "nogil": "compiled code runs without the interpreter's lock wherever it calls no Python",
    "parallel": "large loops run on all processors, without being asked for",
    "fastmath": _ROUNDS,
    "cache": "compiled functions are kept on disk for later processes",
}
"""By option of TensorFlow's, JAX's, Numba's and PyTorch's decorators."""


def require_options(target: Any, device: Any, max_specialisations: Any) -> None:
    """Raise for options that no function can have."""
    if max_specialisations is not None:
        _require_count(max_specialisations)
    if target is not None:
        from ...backend.target import named  # which asks LLVM for the processor

        named(target)
    if device is not None and device_number(device) is not None and target is not None:
        raise WeftValueError(
            f"weft.function takes a device, {device!r}, or a target, {target!r}: a device tells what to compile for"
        )


def _require_count(most: Any) -> None:
    """Raise unless a number of compiled functions to keep is one."""
    if not isinstance(most, int) or isinstance(most, bool):
        raise WeftTypeError(f"max_specialisations is a whole number, or None for all, not {most!r}")
    if most < 1:
        raise WeftValueError(f"max_specialisations is at least 1, not {most}: what a call runs is kept")


def refuse_options(given: Iterable[str], options: Sequence[str]) -> None:
    """Raise `WeftTypeError` for options that `weft.function` does not have, with what it does in their place."""
    for name in given:
        answer = _ANSWERS.get(name)
        if answer is not None:
            raise WeftTypeError(f"weft.function has no option {name!r}: leave it out. Here, {answer}")
        import difflib  # for messages only

        close = difflib.get_close_matches(name, options, 1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(options)}"
        raise WeftTypeError(f"weft.function has no option {name!r}; {hint}")
