"""StableHLO, the portable IR of JAX and XLA: its modules become modules of the weft dialect."""
