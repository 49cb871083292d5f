"""Names of devices: "cpu", "cuda", "cuda:1". Apart, so that to read one loads no driver."""

from __future__ import annotations

import re

from ....dialect.errors import WeftValueError

CPU = "cpu"
_NAME = re.compile(r"cuda(?::(?P<number>\d+))?")


def device_number(name: str) -> int | None:
    """The number of the GPU that a name stands for, None for the processor; `WeftValueError` for other names.

    >>> device_number("cuda"), device_number("cuda:1"), device_number("cpu")
    (0, 1, None)
    """
    if name == CPU:
        return None
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise WeftValueError(f"there is no device {name!r}; devices are cpu, cuda, cuda:1, ...")
    return int(match["number"] or 0)
