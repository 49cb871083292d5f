"""No classes for llvm ops: they are read generically, and there are many of them."""
