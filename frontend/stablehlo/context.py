"""StableHLO in the bindings: its dialect in the context of the process, and its functions."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...dialect.register import context


@cache
def stablehlo() -> Any:
    """The module of the bindings that knows StableHLO, whose ops can be parsed from then on."""
    from torch_mlir._mlir_libs import _stablehlo

    with context():
        _stablehlo.register_dialect(context(), load=True)
    return _stablehlo
