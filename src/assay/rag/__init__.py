"""RAG runs: the whole pipeline, judged, timed and costed."""
