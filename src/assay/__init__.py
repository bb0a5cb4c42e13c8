"""Assay: evaluation of retrieval, RAG and extraction pipelines against a gold standard."""

__version__ = "0.1.0"
