"""What integers lie between, and which comparisons that decides."""
