"""Models of the `sentence-transformers` package, by name or folder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.config import EmbedderOptions
from assay.embedders.prefix import prefixed
from assay.embedders.protocol import EMBEDDERS, Kind
from assay.embedders.vectors import unit_rows
from assay.errors import AssayError, MissingExtra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@EMBEDDERS.register("sentence-transformers")
class SentenceTransformers:
    """Loaded when the first text comes, so that an index that needs nothing loads no model."""

    is_slow = True

    def __init__(self, options: EmbedderOptions) -> None:
        if not options.model:
            raise AssayError(
                "the embedder 'sentence-transformers' needs a model", hint="Set embedder.model in assay.yaml."
            )
        self.model_id = options.model
        self._options = options

    @property
    def dim(self) -> int:
        return int(self._model.get_sentence_embedding_dimension())

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        import numpy as np

        given = prefixed(texts, self._options, kind)
        filled = [row for row, text in enumerate(given) if text]
        result = np.zeros((len(given), self.dim), dtype=np.float32)
        if filled:
            encoded = self._model.encode(
                [given[row] for row in filled],
                batch_size=self._options.batch_size,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
            result[filled] = unit_rows(encoded)
        return result

    @cached_property
    def _model(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise MissingExtra(
                "sentence-transformers", "sentence-transformers", "the embedder 'sentence-transformers'"
            ) from None
        try:
            return SentenceTransformer(self.model_id)
        except (OSError, ValueError) as fault:
            line = str(fault).splitlines()[0] if str(fault) else type(fault).__name__
            raise AssayError(f"the model '{self.model_id}' does not load: {line}") from None
