"""Programs of many ranks: which values are the same on all of them."""
