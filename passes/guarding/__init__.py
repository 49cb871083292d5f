"""Checks for modules that weft did not trace: what traces never do, files may say."""
