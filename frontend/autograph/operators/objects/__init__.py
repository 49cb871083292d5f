"""Attributes and items of objects, which may be functions of the user's, and the parts of class patterns."""
