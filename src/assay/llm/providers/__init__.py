"""Language models, one file each."""
