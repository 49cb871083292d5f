"""Machine code that is found by the text of a traced program, where no data tells beforehand what that depends on."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...backend.cache.objects import cached_object
from ...backend.cache.store import store
from ...backend.planning.plan import MachineCode
from ...dialect.mlir import Module
from ...dialect.records import defaults
from ..settings import Settings, settings


def code_by_text(
    module: Module, symbol: str, target: str, dtypes: Sequence[np.dtype[Any]], make: Callable[[], MachineCode]
) -> MachineCode:
    """The code of a module: that which another process has made of the same text, or what is made now.

    So a program that is traced as it is, which the disk cache cannot look up before it is traced, is not optimised and
    compiled again. The text has the lines of the program, which errors name, and all settings count.
    """
    if store() is None:
        return make()
    text = module.operation.get_asm(enable_debug_info=True, large_elements_limit=None)
    options = tuple((name, getattr(settings, name)) for name in defaults(Settings))
    key = repr((symbol, target, [dtype.str for dtype in dtypes], options, text))
    code: MachineCode = pickle.loads(cached_object(f"program {key}", lambda: pickle.dumps(make())))
    return code
