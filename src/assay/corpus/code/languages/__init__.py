"""One file for each language: its table of node types."""
