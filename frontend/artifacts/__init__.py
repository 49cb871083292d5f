"""Compiled functions as files: written with the state that they use, and functions again without their source."""
