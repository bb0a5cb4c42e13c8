"""An embedder whose vectors a reader can work out: the counts of a, b and c, scaled to length 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.config import Config, EmbedderOptions
from assay.embedders.protocol import EMBEDDERS, Kind

MODEL_ID = "letters-3"


@EMBEDDERS.register("letters")
class Letters:
    model_id = MODEL_ID
    dim = 3

    def __init__(self, options: EmbedderOptions):
        self.options = options

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        return vectors(texts)


def vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    counts = np.array([[text.count(letter) for letter in "abc"] for text in texts], dtype=np.float32).reshape(-1, 3)
    lengths = np.sqrt((counts**2).sum(axis=1, keepdims=True))
    return np.asarray(counts / np.where(lengths > 0, lengths, 1), dtype=np.float32)


CONFIG = Config(embedder=EmbedderOptions(name="letters"))
