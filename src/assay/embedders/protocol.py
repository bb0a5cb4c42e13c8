"""The one thing every embedder is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from assay.config import EmbedderOptions
from assay.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["document", "query"]


class Embedder(Protocol):
    """Text in, rows of unit length out. `model_id` and `dim` are kept in the index and checked before a search."""

    @property
    def model_id(self) -> str: ...

    @property
    def dim(self) -> int: ...

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]: ...


EMBEDDERS: Registry[Callable[[EmbedderOptions], Embedder]] = Registry("embedder", "assay.embedders")


def create(options: EmbedderOptions) -> Embedder:
    """The embedder the settings name."""
    return EMBEDDERS.get(options.name)(options)
