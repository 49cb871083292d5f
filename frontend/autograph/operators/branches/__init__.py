"""Recording of staged branches, and of the ways out of blocks."""
