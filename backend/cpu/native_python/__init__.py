"""A subset of Python that is translated to LLVM: what the runtime is written in."""
