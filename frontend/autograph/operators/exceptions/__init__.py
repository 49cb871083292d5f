"""`try`, `raise` and handlers that run-time values decide on."""

from .....dialect.imports import load_on_first_use

load_on_first_use(__name__, "catching", "caught_exceptions", "tries")
