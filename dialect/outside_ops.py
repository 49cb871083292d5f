"""Where ops of other packages are defined: known without what ops are, as the disk cache asks for it."""

from __future__ import annotations

OUTSIDE: dict[str, str] = {}
"""The modules of other packages in which ops are defined, each with the module that lowers them."""
