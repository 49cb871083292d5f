"""Repairs of the LLVM 24 assembly that MLIR prints, for the LLVM 22 of llvmlite; `translation.translate` is the way in.

When llvmlite's LLVM is MLIR's, delete the passes in `translation.REPAIRS` with their modules and tests, one by one as
the tests pass without; what remains is the check and the call of MLIR's translation.
"""
