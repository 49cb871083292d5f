"""What is known about the loops of a program."""

from __future__ import annotations

INTERRUPTIBLE = "weft.interruptible"
"""The attribute of loops that the program itself has: they look for Ctrl-C. Loops that lowerings make have it not."""
