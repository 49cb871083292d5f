"""Compiled code for the workers of a cluster: all that a session has compiled, once for each worker."""

from __future__ import annotations

from typing import Any

from ...dialect.errors import MissingPackageError
from ..calls.shipped_code import all_entries


def install_plugin(client: Any) -> None:
    """Send what this process has compiled to the workers that are there, and to those that come."""
    try:
        from .worker_plugin import NAME, CompiledCode
    except ImportError as error:
        raise MissingPackageError(
            'weft.dask.install needs the package distributed: pip install "weft[dask]"'
        ) from error
    client.register_plugin(CompiledCode(all_entries()), name=NAME)
