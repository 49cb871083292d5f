"""No classes for linalg ops: weft builds and reads them generically."""
