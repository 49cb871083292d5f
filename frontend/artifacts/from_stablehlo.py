"""`weft.from_stablehlo`: what JAX and others exported, as a function."""

from __future__ import annotations

import os
from pathlib import Path

from ...dialect.errors import WeftTypeError
from ...dialect.mlir import ir
from ...dialect.register import context
from ..stablehlo.context import stablehlo
from ..stablehlo.reading import text_of as text_of_source
from ..stablehlo.translation import has_open_sizes, translated
from .checked_modules import guard, name_of, require_readable, text_of
from .described_functions import described
from .from_text import entry_of, parsed
from .recorded import Recorded
from .recorded_function import RecordedFunction

_SUFFIXES = (".mlir", ".mlirbc", ".bc", ".stablehlo")


def from_stablehlo(
    source: str | bytes | bytearray | memoryview | os.PathLike[str], name: str | None = None
) -> RecordedFunction:
    """The function of a module of StableHLO: a text, the bytes of a portable artifact or of bytecode, or a file.

    It takes and returns the arrays of the module's function, `main` if it has several and `name` tells no other. It is
    compiled for the sizes of its calls, differentiated by `weft.grad`, inlined in other functions, and saved by
    `weft.save`. Bytes are read in another process, which damaged ones may end. Raises `weft.ArtifactError`, a
    `ValueError`, for bytes that are no module or of a newer version, `ValueError` with line and column for texts that
    are none, and `weft.UnsupportedError`, a `NotImplementedError`, that names ops which weft has not, with their lines.

    >>> twice = weft.from_stablehlo('''
    ... func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    ...   %y = stablehlo.add %x, %x : tensor<3xf32>
    ...   return %y : tensor<3xf32>
    ... }
    ... ''')
    >>> twice(np.array([1, 2, 3], "float32"))
    array([2., 4., 6.], dtype=float32)
    """
    given, place = _contents(source)
    text = text_of_source(given, place)
    require_readable(text)
    stablehlo()
    with context(), ir.Location.unknown():
        module = parsed(text, place)
        entry = entry_of(module, name, place, "main")
        symbol = name_of(entry)
        described(entry, place)  # refuses what is no function of arrays
        made = translated(module, entry, symbol)
        if has_open_sizes(module):
            guard(made)
        description = described(next(iter(made.body.operations)).operation, place)
        recorded = Recorded(description, text_of(made.operation))
    recorded.module = made
    return RecordedFunction(symbol, [recorded], {})


def _contents(source: object) -> tuple[str | bytes, str]:
    """A text or bytes, and what they are called in messages."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), "the artifact"
    if not isinstance(source, (str, os.PathLike)):
        raise WeftTypeError(f"from_stablehlo takes bytes, a text or a path, not {source!r:.60}")
    if isinstance(source, str) and not _is_path(source):
        return source, "text"
    path = os.fspath(source)
    data = Path(path).read_bytes()
    try:
        return data.decode("utf-8"), path
    except UnicodeDecodeError:
        return data, path


def _is_path(source: str) -> bool:
    """Whether a string names a file, by its suffix or because there is one, rather than being a text."""
    return "\n" not in source and (source.endswith(_SUFFIXES) or os.path.exists(source))
