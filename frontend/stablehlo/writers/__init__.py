"""What each op of the weft dialect is in StableHLO: a table of functions that make its ops."""
