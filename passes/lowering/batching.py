"""Lowerings of where values get lanes and lose them: nothing is left of these behind `weft-batch`."""

from __future__ import annotations

from typing import NoReturn

from ...dialect.errors import InternalError
from ...dialect.ops.batching import Lane, Lanes
from .conversion import Conversion, OpInstance, lowers


@lowers(Lane, Lanes)
def lower_boundary(c: Conversion, op: OpInstance) -> NoReturn:
    """What is in between is written for one lane."""
    raise InternalError("run --weft-batch before --convert-weft-to-linalg")
