"""Time stamps of compiled code: when each kernel began and ended, in which thread."""
