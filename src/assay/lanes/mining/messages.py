"""Commit messages as queries: what a person wrote about a change, and whether it says anything."""

from __future__ import annotations

import re

from assay.retrievers.analysis import content_words

LONGEST = 2000
FEWEST_WORDS = 3
"""Words that say something; with fewer, nobody could find the units either."""
_TRAILER = re.compile(r"[A-Za-z][A-Za-z0-9-]*: \S.*|\(cherry picked from commit [0-9a-f]+\)")
_REVERT = re.compile(r"revert\b", re.IGNORECASE)
_ROUTINE = re.compile(
    r"(fixup|squash|amend)!|wip\b|"
    r"(bump|upgrade|update)s? (the )?(version|deps|dependenc\w+|lock\w*|changelog|copyright)|"
    r"(release|version|prepare release|back to development)\b.{0,20}\d|v?\d+(\.\d+)+|"
    r"(run|apply|fix)? ?(ruff|black|prettier|gofmt|rustfmt|clang-format|isort|lint\w*|format\w*|typos?|whitespace)\W*$|"
    r"(apply )?(suggestions?|review)\b.*(review|comments?|feedback)|merge\b|initial commit",
    re.IGNORECASE,
)


def query_of(message: str) -> str:
    """The message without its trailers (`Signed-off-by: ...`), cut at a word."""
    paragraphs = re.split(r"\n\s*\n", message.strip())
    while len(paragraphs) > 1 and all(_TRAILER.fullmatch(line.strip()) for line in paragraphs[-1].splitlines()):
        paragraphs.pop()
    text = "\n\n".join(paragraph.strip() for paragraph in paragraphs)
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(maxsplit=1)[0]


def why_not(message: str) -> str | None:
    """Why a message is no query; None if it is one."""
    subject = message.strip().partition("\n")[0].strip()
    if _REVERT.match(subject):
        return "revert"
    if _ROUTINE.match(subject) or len(content_words(query_of(message), "en")) < FEWEST_WORDS:
        return "trivial message"
    return None
