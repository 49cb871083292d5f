"""Which devices there are: their names, what drives them, and what code for them is compiled for."""
