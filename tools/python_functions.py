"""Python functions as input: `package.module:function` with the types of its arguments."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from .inputs import Source

_REFERENCE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


def is_function_reference(text: str) -> bool:
    """Whether an argument names a function and not a file.

    >>> is_function_reference("examples.digits:classify"), is_function_reference("a/b.mlir")
    (True, False)
    """
    return _REFERENCE.fullmatch(text) is not None and not os.path.exists(text)


def trace_function(
    reference: str,
    specs: Sequence[str],
    stage: str,
    target: str = "native",
    *,
    has_locations: bool = False,
    keeps_code: bool = True,
) -> Source:
    """Import a function, compile it for arguments of these types and return its text at a stage.

    Raises `WeftError` that names the user's line when the import, the trace or the compilation fails.
    """
    from ..frontend.artifacts.references import explained, traced_for  # which MLIR input does not need
    from ..frontend.settings import settings

    debug_info, cache = has_locations or settings.debug_info, keeps_code and settings.cache
    with settings.scope(debug_info=debug_info, cache=cache), explained(reference):
        return Source(reference, traced_for(reference, specs, target).as_text(stage))
