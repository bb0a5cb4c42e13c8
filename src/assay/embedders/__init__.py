"""What turns text into vectors."""

from assay.embedders.protocol import EMBEDDERS, Embedder, create

__all__ = ["EMBEDDERS", "Embedder", "create"]
