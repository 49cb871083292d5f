"""Repairs of the LLVM 24 assembly that MLIR prints, for the LLVM 22 of llvmlite: to be deleted when these meet."""
