"""Documents made searchable: readers, chunks, index."""
