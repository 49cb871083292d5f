"""Recording of staged loops: what they carry from one iteration to the next."""
