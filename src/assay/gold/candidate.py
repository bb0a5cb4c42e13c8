"""A question that may enter a gold set, and the log of everything that happened to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from assay.errors import AssayError
from assay.files import read_text
from assay.gold.leaves import ANSWERABLE

PERSON = "person"
"""Who wrote a question that came from a CSV, in the place of a model."""


class Candidate(Struct, frozen=True, kw_only=True):
    """One question as it was written from one chunk. Nothing in it is believed before it is validated."""

    key: str
    """Of chunk and question: the same question from the same chunk has the same key in every build."""
    chunk_id: str
    question: str
    answer: str = ""
    hard_type: str = ANSWERABLE
    """`ANSWERABLE`, or why it cannot be answered."""
    corpus_truth: str | None = None
    """Of an unanswerable question: what the corpus really says."""
    contradiction: str | None = None
    """Of a false premise: the quote that contradicts it."""
    quote: str | None = None
    """Of an answerable one: the words of the chunk that prove the answer."""
    explanation: str | None = None
    keywords: tuple[str, ...] = ()
    difficulty: float
    question_type: str
    cognitive_level: str
    reasoning_type: str
    reasoning_class: str
    answer_type: str
    article_reference: str | None = None
    language: str = "en"
    stratum: str
    batch: str
    prompt: str
    """Name, language, version and hash of the prompt, or `csv`."""
    model: str

    @property
    def is_impossible(self) -> bool:
        return self.hard_type != ANSWERABLE


HARD = 0.7
"""Difficulty from which on a question is hard."""


def key_of(chunk_id: str, question: str) -> str:
    """16 hexadecimal digits.

    >>> key_of("manual-p1", "Who signs?")
    'a7d3a2042d0aa3be'
    """
    text = f"{chunk_id}\0{' '.join(question.split())}"
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


Event = Literal["reply", "candidate", "batch", "decision"]


class LogLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of `generation_log.jsonl`.

    `reply`: a model was asked, and whether its reply could be read. `candidate`: a question it wrote, kept or not, and
    why not. `batch`: the end of a batch; what stands before it is whole. `decision`: what a later phase made of one.
    """

    event: Event
    batch: str = ""
    attempt: int = 0
    accepted: bool | None = None
    gate: str | None = None
    """What refused it: the rule of the batch, a gate, a phase."""
    reason: str | None = None
    key: str | None = None
    chunk_id: str | None = None
    prompt: str | None = None
    model: str | None = None
    candidate: Candidate | None = None
    text: str | None = None
    """Of a reply or a question that could not be read: its beginning."""


_encode = msgspec.json.Encoder(order="deterministic").encode


def encode_lines(lines: Iterable[LogLine]) -> bytes:
    return b"".join(_encode(line) + b"\n" for line in lines)


def read_log(path: Path) -> list[LogLine]:
    """Every line; of a log whose writer was killed, the lines up to the end of its last whole batch."""
    if not path.exists():
        return []
    lines = list(_decoded(path))
    ends = [number for number, line in enumerate(lines, 1) if line is not None and line.event in {"batch", "decision"}]
    whole = lines[: ends[-1]] if ends else []
    for number, line in enumerate(whole, 1):
        if line is None:
            raise AssayError("not a line of a generation log", where=f"{path}:{number}", hint="Build in another folder")
    return [line for line in whole if line is not None]


def _decoded(path: Path) -> Iterator[LogLine | None]:
    """None: a line that cannot be read."""
    decode = msgspec.json.Decoder(LogLine).decode
    for text in read_text(path).split("\n"):
        if text:
            try:
                yield decode(text)
            except msgspec.MsgspecError:
                yield None


def accepted(lines: Iterable[LogLine]) -> list[Candidate]:
    """The candidates that came out of the batches, in their order, each once; a row of a person corrects the last."""
    found: dict[str, Candidate] = {}
    for line in lines:
        each = line.candidate
        if line.event != "candidate" or not line.accepted or each is None:
            continue
        if each.model == PERSON or each.key not in found:
            found[each.key] = each
    return list(found.values())
