"""complex_parts."""
