"""The pages of the viewer, one file each."""
