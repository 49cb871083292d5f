"""From the llvm dialect to machine code that is called with NumPy arrays."""
