"""`assay index`: documents, code and memories into a searchable index."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.config import Config
    from assay.corpus.build import Summary
    from assay.corpus.scan import Problem

HELP = "make documents (pdf, html, markdown, text, docx, chunks), code and memories searchable: one SQLite file"
SHOWN = 5
"""Names of files that are left out for one reason."""
CHUNKING = {
    "parent_tokens": "size of a parent",
    "parent_overlap": "shared by two neighbouring parents",
    "child_tokens": "size of a chunk",
    "child_overlap": "shared by two neighbouring chunks",
    "minimum_tokens": "a shorter rest is joined to its neighbour",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", metavar="PATH", nargs="*", type=Path, help="folders and files: all documents")
    parser.add_argument(
        "--code", metavar="PATH", action="append", type=Path, help="source code, cut into functions, types, constants"
    )
    parser.add_argument(
        "--memories", metavar="PATH", action="append", type=Path, help="notes {id, text, tags, date} as jsonl, json, md"
    )
    parser.add_argument("--out", metavar="FILE", type=Path, help="the index (default: paths.index of the settings)")
    parser.add_argument("--rebuild", action="store_true", help="read everything again, not only what changed")
    parser.add_argument("--language", metavar="CODE", help="auto, or the language of all documents: en, fr, de, ...")
    embedding = parser.add_mutually_exclusive_group()
    embedding.add_argument("--embedder", metavar="NAME", help="wordllama, openai or sentence-transformers")
    embedding.add_argument("--no-embeddings", action="store_true", help="for bm25 alone")
    for name, meaning in CHUNKING.items():
        parser.add_argument(f"--{name.replace('_', '-')}", metavar="N", type=int, help=meaning)


def run(arguments: argparse.Namespace) -> int:
    import msgspec

    from assay.cli._output import print_json
    from assay.cli._progress import progress_to
    from assay.config import load
    from assay.corpus.build import BuildOptions, build
    from assay.corpus.scan import Sources
    from assay.embedders.cache import cached

    sources = Sources(
        documents=tuple(arguments.paths),
        code=tuple(arguments.code or ()),
        memories=tuple(arguments.memories or ()),
    )
    if not sources.paths:
        raise AssayError("nothing to index", where="index", expected="folders or files, --code or --memories")
    config = _override(load(arguments.config), arguments)
    with progress_to(quiet=arguments.quiet) as progress:
        options = BuildOptions(
            chunking=config.index.chunking,
            language=config.index.language,
            embedder=None if arguments.no_embeddings else cached(config.embedder, config.path("cache")),
            document_prefix=config.embedder.document_prefix,
            rebuild=arguments.rebuild,
            progress=progress,
        )
        summary = build(sources, arguments.out or config.path("index"), options)
    if not summary.is_current:
        _prepare_search(Path(summary.index))
    if arguments.json:
        print_json(msgspec.to_builtins(summary))
    else:
        print(_describe(summary))
    return 0


def _prepare_search(path: Path) -> None:
    """What bm25 computes from all chunks together is computed once, and kept in the index."""
    from assay.corpus.index import Index
    from assay.retrievers.lexical import prepare

    with Index.open(path) as index:
        prepare(index)


def _override(config: Config, arguments: argparse.Namespace) -> Config:
    """The settings with what was said on the command line."""
    import msgspec
    from msgspec.structs import asdict, replace

    from assay.config import Chunking

    given = {name: getattr(arguments, name) for name in CHUNKING if getattr(arguments, name) is not None}
    try:
        chunking = msgspec.convert({**asdict(config.index.chunking), **given}, Chunking)
    except msgspec.ValidationError as fault:
        raise AssayError(f"chunk sizes: {fault}") from None
    index = replace(config.index, chunking=chunking, language=arguments.language or config.index.language)
    embedder = replace(config.embedder, name=arguments.embedder or config.embedder.name)
    return replace(config, index=index, embedder=embedder)


def _skipped(counts: dict[str, int]) -> list[str]:
    from assay.corpus.code.language import LANGUAGES

    kinds = ", ".join(f"{suffix} {count}" for suffix, count in counts.items())
    lines = [f"skipped, no reader for them: {kinds}"]
    if any(suffix in LANGUAGES for suffix in counts):
        lines.append("(source code is given with --code FOLDER, and once more for each further folder)")
    return lines


def _describe(summary: Summary) -> str:
    """The summary for people; every file that is not in the index is accounted for."""
    from assay.corpus.code.files import BINARY

    lines = _holdings(summary)
    if summary.is_current:
        lines.append(f"files: {summary.unchanged} unchanged; the index is up to date, nothing was written")
    else:
        counts = ("added", "changed", "unchanged", "removed")
        done = ", ".join(f"{getattr(summary, name)} {name}" for name in counts)
        model = f"{summary.model_id or 'given'}, {summary.embedding_dim} dimensions"
        embedding = f"embeddings: {model}" if summary.embedding_dim else "no embeddings"
        lines += [f"files: {done} in {summary.seconds:.1f} s", embedding]
    lines += [f"failed: {_told(problem)}" for problem in summary.failed]
    lines += [f"warning: {_told(problem)}" for problem in summary.warnings]
    lines += _skipped(summary.skipped) if summary.skipped else []
    reasons = sorted({problem.reason for problem in summary.left_out})
    lines += [
        _left_out(reason, [each.file for each in summary.left_out if each.reason == reason]) for reason in reasons
    ]
    if set(reasons) - {BINARY}:
        lines.append("(to index one of them all the same, name it; --json lists all)")
    return "\n".join(lines)


def _told(problem: Problem) -> str:
    """File names may hold anything; an error's text is always one harmless line. A reason that begins with the place in
    the file has named it."""
    is_named = problem.reason.partition(":")[0].endswith(problem.file)
    return str(AssayError(problem.reason, where=None if is_named else problem.file))


def _holdings(summary: Summary) -> list[str]:
    """One line for documents alone, else one for each lane."""
    from assay.report.text import counted

    if summary.lanes.keys() <= {"document"}:
        counts = {"document": summary.documents, "page": summary.pages, "chunk": summary.chunks}
        held = ", ".join(counted(count, what) for what, count in counts.items())
        return [f"{summary.index}: {held} ({_counts(summary.languages)})"]
    lines = [f"{summary.index}: {counted(summary.chunks, 'chunk')}"]
    for lane, total in summary.lanes.items():
        languages = f" ({_counts(total.languages)})" if lane != "memory" else ""
        lines.append(f"  {lane}: {total.chunks} from {counted(total.files, 'file')}{languages}")
    return lines


def _counts(languages: dict[str, int]) -> str:
    return ", ".join(f"{code} {count}" for code, count in languages.items())


def _left_out(reason: str, names: list[str]) -> str:
    shown = ", ".join(str(AssayError(name)) for name in names[:SHOWN])
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"skipped, {reason}: {shown}{more}"
