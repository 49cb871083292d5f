"""All passes and named pipelines there are: the tables of the rooms below, joined."""

from __future__ import annotations

from functools import cache

from ..passes.pipeline import Pipelines
from ..passes.pipelines import PIPELINES
from ..passes.registry import PASSES, PassTable


@cache
def all_passes() -> PassTable:
    """Every weft pass by name."""
    return {**PASSES}


@cache
def all_pipelines() -> Pipelines:
    """Every named pipeline."""
    return {**PIPELINES}
