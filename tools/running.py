"""`weft-opt --run`: call a function of the module that the passes made, and print what it returns."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dialect.errors import WeftValueError
from ..frontend.artifacts.from_text import from_mlir


def run_function(text: str, name: str, given: Sequence[str]) -> str:
    """What a function of a module returns for arguments, and the arrays that it wrote, as texts."""
    function = from_mlir(text, name.removeprefix("@"))
    arguments = function.recorded_as[0].description.arguments
    if len(given) != len(arguments):
        types = ", ".join(f"{argument.name}: {argument.tensor}" for argument in arguments) or "none"
        raise WeftValueError(
            f"--run={name} takes the arguments {types}: give each by --args, not {len(given)}"
        )
    arrays = [_array(word, argument.tensor.dtype) for word, argument in zip(given, arguments, strict=True)]
    returned = function(*arrays)
    results = returned if isinstance(returned, tuple) else (returned,)
    lines = [f"result {number}: {result!r}" for number, result in enumerate(results)]
    written = zip(arguments, arrays, strict=True)
    lines += [f"{argument.name}: {array!r}" for argument, array in written if argument.is_written]
    return "\n".join(lines) + "\n"


def _array(word: str, dtype: np.dtype[Any]) -> Any:
    """An array of a file, or of Python's numbers in nested lists."""
    if word.endswith(".npy"):
        try:
            return np.load(word, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise WeftValueError(f"--args={word} cannot be read as an array: {error}") from None
    try:
        return np.array(ast.literal_eval(word), dtype)
    except (ValueError, SyntaxError, TypeError, OverflowError) as error:
        raise WeftValueError(
            f"--args takes a .npy file or numbers, as in [1, 2.5], not {word!r}: {error}"
        ) from None
