"""What the IR is: dtypes, types, op classes with their rules and NumPy reference, and their registration in MLIR."""
