"""A finished run, `run:FILE` in the TREC format. A query that is not in the file found nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.config import Config
from assay.corpus.index import Index
from assay.errors import AssayError
from assay.records import Fault, Ranking
from assay.retrievers.answers import cut_of
from assay.retrievers.protocol import RETRIEVERS, Context, Query, Request

SCALE = "run"


def run_path(argument: str, config: Config) -> Path:
    """The file, from the current folder or else from that of the settings."""
    if not argument:
        raise AssayError("'run' names no file", expected="run:FILE")
    path, beside_settings = Path(argument), Path(config.root) / argument
    return path if path.exists() else beside_settings


@RETRIEVERS.register("run")
class RunFile:
    """Queries are known by their id; their text does not matter."""

    scale = SCALE
    local = True

    def __init__(self, context: Context) -> None:
        from assay.trec import read_run

        self.name = f"run:{context.argument}"
        self._index = context.index
        self._run = read_run(run_path(context.argument, context.config))
        self._spaced = _spaced(context.index)

    def search(self, queries: Sequence[Query], request: Request) -> list[Ranking | Fault]:
        cut = cut_of(self._index, request, SCALE)
        return [self._ranking(query.id, cut.k, cut.allowed) for query in queries]

    def _ranking(self, query: str, k: int, allowed: frozenset[str] | None) -> Ranking:
        ranking = self._run.get(query, Ranking((), (), SCALE))
        ids = [self._spaced.get(id_, id_) for id_ in ranking.ids]
        pairs = zip(ids, ranking.scores, strict=True)
        kept = [(id_, score) for id_, score in pairs if allowed is None or id_ in allowed][:k]
        return Ranking(tuple([id_ for id_, _ in kept]), tuple([score for _, score in kept]), SCALE)


def _spaced(index: Index | None) -> dict[str, str]:
    """Ids with spaces in them (`impl Display for Point`), which part the columns of the format, by how they are written
    there."""
    ids = index.ids if index else ()
    written = {id_.replace(" ", "%20"): id_ for id_ in ids if " " in id_}
    taken = written.keys() & set(ids) if written else set()
    return {name: id_ for name, id_ in written.items() if name not in taken}
