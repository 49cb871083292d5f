"""What a compiled function costs and how its memory is laid out, told from the program in the backend's own stages."""
