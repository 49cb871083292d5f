"""Command lines: `weft-opt`, which runs passes on MLIR text and on what Python functions are traced to."""
