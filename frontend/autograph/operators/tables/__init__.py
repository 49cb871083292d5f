"""Dicts and sets whose keys only the program knows: what they become, and what they can do."""

from __future__ import annotations

__all__: list[str] = []
