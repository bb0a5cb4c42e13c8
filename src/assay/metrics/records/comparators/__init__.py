"""Comparators, a file for each kind of value."""
