"""The CPU backend: outlined kernels on a static buffer plan, scheduled one by one, compiled by LLVM.

`stages` lists the steps. Nothing here is imported before the first
compilation, because MLIR and LLVM are.
"""
