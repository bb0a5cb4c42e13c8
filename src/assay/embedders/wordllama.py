"""WordLlama's 256-dimension table, read from the installed package: offline, static, thousands of texts a second.

The package itself is not imported (it loads an HTTP client and more); its weights and tokenizer are files.
A text is the sum of its tokens' vectors, scaled to unit length; a text without tokens is an all-zero row,
whose similarity to everything is 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from assay.config import EmbedderOptions
from assay.embedders.prefix import prefixed
from assay.embedders.protocol import EMBEDDERS, Kind
from assay.errors import AssayError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WEIGHTS = "l2_supercat_256.safetensors"
_TOKENIZER = "l2_supercat_tokenizer_config.json"
_MARKED = re.compile("<unk>|<s>|</s>")
_PIECES = re.compile(" +[^ \n]*|\n[^ \n]*")
_GROUP = 256
_REMEMBERED: dict[Kind, int] = {"document": 500_000, "query": 4_096}
"""Words. Those of many documents take long to learn again; queries are few words each."""


@EMBEDDERS.register("wordllama")
class WordLlama:
    """The default: real vectors without a network, a key or a download."""

    model_id = "wordllama-l2-supercat-256"
    dim = 256

    def __init__(self, options: EmbedderOptions) -> None:
        self._options = options
        self._remembered: dict[Kind, dict[str, bytes]] = {"document": {}, "query": {}}
        """Token ids as 16-bit numbers: a fifth of what a tuple of them needs."""

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        import numpy as np

        result = np.zeros((len(texts), self.dim), dtype=np.float32)
        given = prefixed(texts, self._options, kind)
        for start in range(0, len(given), _GROUP):
            for row, ids in enumerate(self._ids(given[start : start + _GROUP], kind), start):
                if len(ids):
                    # The sum of one text never depends on its neighbours, so neither do the bytes of its vector.
                    self._table.take(ids, axis=0, mode="clip").sum(axis=0, out=result[row])
        norms = np.sqrt(np.einsum("ij,ij->i", result, result))
        result /= np.where(norms > 0, norms, 1)[:, None]
        return result

    def _ids(self, texts: list[str], kind: Kind) -> Iterator[NDArray[np.uint16]]:
        """Token ids of each text. Each distinct word is tokenised once: the tokens of this model never reach over
        a space or a newline, so a text may be cut in front of them (a run of spaces stays with the word behind)."""
        import numpy as np

        cut = [_PIECES.findall(" " + text.replace("▁", " ")) if text else [] for text in texts]
        known = self._known(set().union(*cut), kind)
        for text, pieces in zip(texts, cut, strict=True):
            if _MARKED.search(text):
                yield np.array(self._tokenizer.encode(text, add_special_tokens=False).ids, dtype=np.uint16)
            else:
                yield np.frombuffer(b"".join(map(known.__getitem__, pieces)), dtype=np.uint16)

    def _known(self, pieces: set[str], kind: Kind) -> dict[str, bytes]:
        """Word → its tokens, of these words and of others."""
        import numpy as np

        if len(self._remembered[kind]) > _REMEMBERED[kind]:
            self._remembered[kind] = {}
        known = self._remembered[kind]
        new = [piece for piece in pieces if piece not in known]
        if not new:
            return known
        # The tokenizer puts a space before what it is given: for a space piece that is its own first space,
        # for a newline piece it is a first token to drop.
        given = [piece if piece[0] == "\n" else piece[1:] for piece in new]
        encoded = self._tokenizer.encode_batch(given, add_special_tokens=False)
        for piece, encoding in zip(new, encoded, strict=True):
            ids = encoding.ids[1:] if piece[0] == "\n" else encoding.ids
            known[piece] = np.array(ids, dtype=np.uint16).tobytes()
        if " " in pieces:
            known[" "] = np.uint16(self._tokenizer.token_to_id("▁")).tobytes()
        return known

    @cached_property
    def _folder(self) -> Path:
        from importlib.util import find_spec

        spec = find_spec("wordllama")
        if spec is None or not spec.submodule_search_locations:
            raise AssayError("the package 'wordllama' is not installed", hint="Install it with: pip install wordllama")
        return Path(spec.submodule_search_locations[0])

    @cached_property
    def _table(self) -> NDArray[np.float32]:
        return _read_table(self._file("weights", _WEIGHTS))

    @cached_property
    def _tokenizer(self) -> Any:
        return _read_tokenizer(self._file("tokenizers", _TOKENIZER))

    def _file(self, folder: str, name: str) -> str:
        path = self._folder / folder / name
        if not path.is_file():
            raise AssayError(
                "not in the installed package 'wordllama'", where=str(path), expected="version 0.3.8 or 0.4"
            )
        return str(path)


_tables: WeakValueDictionary[str, NDArray[np.float32]] = WeakValueDictionary()
"""Those that are in use."""


def _read_table(path: str) -> NDArray[np.float32]:
    """One for all embedders there are, never changed. It goes with the last of them: 33 MB that a report, which is
    made when all is scored, can do without."""
    import numpy as np
    from safetensors import safe_open

    if (known := _tables.get(path)) is not None:
        return known
    with safe_open(path, framework="np") as file:
        table: NDArray[np.float32] = file.get_tensor("embedding.weight").astype(np.float32)
    table.flags.writeable = False
    _tables[path] = table
    return table


@cache
def _read_tokenizer(path: str) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(path)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    with suppress(AttributeError):  # of an older release
        tokenizer.model._resize_cache(0)  # noqa: SLF001 - a word comes here once, so what is kept there is no use
    return tokenizer
