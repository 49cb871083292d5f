"""Special functions: apart from the others, as few programs have one and to import them takes milliseconds."""
