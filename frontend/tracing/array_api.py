"""Which version of the Python Array API the namespace follows."""

from __future__ import annotations

from ...dialect.errors import WeftValueError

ARRAY_API_VERSION = "2025.12"
"""The version of the Python Array API that the namespace follows."""


def require_array_api(version: str | None) -> None:
    """`ValueError` for a version of the Array API that the namespace does not follow yet."""
    if version is not None and version > ARRAY_API_VERSION:
        raise WeftValueError(f"weft implements version {ARRAY_API_VERSION} of the Array API, not {version}")
