"""Machine code for other programs: libraries with an interface of C, which need neither Python nor NumPy nor weft."""
