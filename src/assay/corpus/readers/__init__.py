"""What turns a file into pages, or into the chunks it already holds."""

from assay.corpus.readers.protocol import CHUNK_READERS, MEMORY_READERS, READERS, Page, Ready

__all__ = ["CHUNK_READERS", "MEMORY_READERS", "READERS", "Page", "Ready"]
