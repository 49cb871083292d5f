"""`try`, `raise` and handlers that run-time values decide on."""
