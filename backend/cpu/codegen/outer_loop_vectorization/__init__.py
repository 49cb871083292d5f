"""Several iterations of a loop side by side in the lanes of vectors."""
