"""One program over split arrays: what each rank computes of it, and what ranks send each other."""
