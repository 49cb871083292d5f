"""Pages that show a program: one file each, for a browser, without a network."""
