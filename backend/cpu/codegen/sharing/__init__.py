"""Work shared among threads: iterations of loops, and kernels that do not depend on each other."""
