"""How a kernel is computed: loop nests, vector code, register tiles for contractions, elementary functions."""
