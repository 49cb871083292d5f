"""Calls in converted code: of functions that are converted, too, of others, and of functions that call themselves."""

from .....dialect.imports import load_on_first_use

load_on_first_use(__name__, "spread_calls", "withs")
