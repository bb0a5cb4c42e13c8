"""Everything about one question, for each kind of run."""
