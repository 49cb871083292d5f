"""What each op of StableHLO becomes: a table of functions that make ops of the weft dialect."""
