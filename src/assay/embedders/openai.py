"""Any service that speaks OpenAI's `/embeddings`: batches in parallel, order kept, shape checked, tokens counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.config import EmbedderOptions, Http
from assay.embedders.prefix import prefixed
from assay.embedders.protocol import EMBEDDERS, Kind
from assay.embedders.vectors import unit_rows
from assay.errors import AssayError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_ENDPOINT = "https://api.openai.com/v1"


@EMBEDDERS.register("openai")
class OpenAI:
    """The model is always the user's choice; the key comes from the environment."""

    is_slow = True

    def __init__(self, options: EmbedderOptions) -> None:
        if not options.model:
            raise AssayError("the embedder 'openai' needs a model", hint="Set embedder.model in assay.yaml.")
        self.model_id = options.model
        self.used_tokens = 0
        self._options = options
        self._url = (options.endpoint or DEFAULT_ENDPOINT).rstrip("/") + "/embeddings"
        self._dim: int | None = None

    @property
    def dim(self) -> int:
        """Asked of the service by one short call if nothing was embedded yet."""
        if self._dim is None:
            self._call(["dimension"])
        assert self._dim is not None
        return self._dim

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        import numpy as np

        given = prefixed(texts, self._options, kind)
        # Services refuse empty texts; theirs is the zero row.
        filled = [row for row, text in enumerate(given) if text.strip()]
        rows = self._call([given[row] for row in filled]) if filled else None
        result = np.zeros((len(given), self.dim), dtype=np.float32)
        if rows is not None:
            result[filled] = rows
        return result

    def _call(self, texts: list[str]) -> NDArray[np.float32]:
        import numpy as np

        from assay.http import post_all

        size = self._options.batch_size
        batches = [texts[start : start + size] for start in range(0, len(texts), size)]
        payloads = [{"model": self.model_id, "input": batch, "encoding_format": "float"} for batch in batches]
        replies = post_all(self._url, payloads, Http(token_env=self._options.api_key_env, timeout=120))
        return np.concatenate([self._rows(reply, len(batch)) for reply, batch in zip(replies, batches, strict=True)])

    def _rows(self, reply: Any, expected: int) -> NDArray[np.float32]:
        try:
            entries = sorted(reply["data"], key=lambda entry: entry["index"])
            if [entry["index"] for entry in entries] != list(range(expected)):
                raise self._fault(f"{len(entries)} embeddings for {expected} texts")
            rows = unit_rows([entry["embedding"] for entry in entries])
            self.used_tokens += int((reply.get("usage") or {}).get("total_tokens") or 0)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self._fault("a reply in another shape") from None
        if self._dim is None:
            self._dim = rows.shape[1]
        if rows.shape[1] != self._dim:
            raise self._fault(f"embeddings of {rows.shape[1]} and of {self._dim} dimensions")
        return rows

    def _fault(self, got: str) -> AssayError:
        return AssayError(
            f"the model '{self.model_id}' gave {got}", where=self._url, expected="OpenAI's embeddings reply"
        )
