"""How a program is run again whose first run went wrong."""

from __future__ import annotations

from collections.abc import Mapping


def blocked(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment in which the driver waits for each launch, so that the error names the kernel that has it.

    >>> blocked({"HOME": "/"})
    {'HOME': '/', 'CUDA_LAUNCH_BLOCKING': '1', 'CUDA_CACHE_DISABLE': '1'}
    """
    return {**environment, "CUDA_LAUNCH_BLOCKING": "1", "CUDA_CACHE_DISABLE": "1"}


__all__ = ["blocked"]
