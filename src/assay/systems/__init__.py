"""What can be under test: a RAG pipeline, ours or the user's, in Python, behind HTTP, or as recorded outputs."""
