"""Elementary functions as plain arithmetic, so that loops over them vectorise.

Every function takes and returns a `Number`, a scalar or a vector of f32 or f64, and is right to 2 ulp, for NaN,
infinities, both zeros and denormals too. How they are computed does not depend on the width of vectors, only on
which instructions there are.
"""
