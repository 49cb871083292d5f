"""weft in notebooks: what functions and cells show of themselves."""
