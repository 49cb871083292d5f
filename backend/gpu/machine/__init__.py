"""From device kernels as MLIR to PTX, and to code of one GPU."""
