"""What compiled code depends on besides the program and the machine, and how often it was found in the cache."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ...backend.gpu.devices.targets import target_of
from ...dialect.records import defaults
from ...passes.listening import listening
from ..compiling.program import CallSignature
from ..logs import log
from ..settings import Settings, settings
from .portable import Data

NO_CODE = frozenset(
    {"cache", "cache_dir", "cache_megabytes", "cuda", "device", "disable_jit", "explain", "full_traceback", "log",
     "result_pool_bytes", "retracing_warning", "ship_compiled", "verify"}
)  # fmt: skip
"""Settings of which compiled code does not depend."""

statistics: Counter[str] = Counter()
"""How often this process found, missed, stored and did not store programs."""


def note(event: str, text: str) -> None:
    """Count what happened to a program, and log it if that is wanted."""
    statistics[event] += 1
    log("cache", f"{event} {text}")
    if listening.listener is not None:
        listening.listener.event(f"disk cache: {event}", "cache", what=text)


def device_data(signature: CallSignature) -> Data:
    """The kind of GPU that a program is for, and the arguments that lie there already."""
    if signature.device is None:
        return ()
    return (target_of(signature.device), tuple(sorted(signature.on_device)))


def code_settings() -> Data:
    """The settings that compiled code may depend on: all but those that are known not to matter to it."""
    own = tuple((name, getattr(settings, name)) for name in defaults(Settings) if name not in NO_CODE)
    return (*own, np.get_printoptions()["legacy"])  # the texts of NumPy's numbers are part of some programs
