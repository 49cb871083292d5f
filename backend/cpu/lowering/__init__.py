"""From loops to the LLVM dialect, and what compiled code needs around it: entries, interrupts, host calls."""
