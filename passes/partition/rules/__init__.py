"""How ops are done on split arrays, one module per kind of op."""
