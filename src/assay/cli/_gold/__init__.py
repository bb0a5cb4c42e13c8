"""The parts of `assay gold`, one file each."""
