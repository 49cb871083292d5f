"""Functions of one row done for all rows: values between `weft.lane` and `weft.lanes` get an axis of lanes."""
