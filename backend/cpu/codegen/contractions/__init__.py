"""Contractions: matrix products, convolutions and windows, recognised among loop nests, tiled and written."""
