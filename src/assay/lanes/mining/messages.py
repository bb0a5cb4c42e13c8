"""Commit messages as queries: what a person wrote about a change, and whether it says anything."""

from __future__ import annotations

import re

from assay.retrievers.analysis import content_words

LONGEST = 2000
FEWEST_WORDS = 3
"""Words that say something; with fewer, nobody could find the units either."""

_KIND = re.compile(
    r"(?:build|chore|ci|docs?|feat|feature|fix|hotfix|bugfix|perf|refactor|style|tests?|deps|misc|release)"
    r"(?:\(([^()\n]*)\))?!?:\s*",
    re.IGNORECASE,
)
"""Of a conventional commit: `fix(parser): `. The scope says something, the kind does not."""

_CHERRY = r"\(cherry picked from commit [0-9a-f]+\)"
_TRAILER = re.compile(rf"[A-Za-z][A-Za-z0-9-]*: \S.*|{_CHERRY}")
_ISSUE = r"(?:(?:[\w.-]+/[\w.-]+)?#\d+|\b(?:gh|bpo)-\d+|\b(?-i:[A-Z][A-Z0-9]+)-\d+|https?://\S+)"
_CLOSES = r"(?:(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|see|refs?|references|issue|bug|link|pr)\b:?\s*)"
_FOOTER = re.compile(
    rf"(?:[\w-]+-by|cc|change-id|git-svn-id|differential revision):\s.*|{_CLOSES}(?:{_ISSUE}[\s,.]*)+|{_CHERRY}",
    re.IGNORECASE,
)
"""A line that speaks of people and places alone, wherever it stands below the subject."""
_ASIDE = [
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        rf"\s*[(\[](?:{_CLOSES}?{_ISSUE}[\s,;]*)+[)\]]:?",
        r"\s*\[(?:skip ci|ci skip|no ci)\]",
        rf"^{_CLOSES}?{_ISSUE}:\s+|^#\d+\.?\s+(?:- )?",
        rf"[,;]?\s*{_CLOSES}(?:#\d++|https?://\S++)(?=[.,;)]|\s*$)",
    )
]
"""Numbers and addresses of issues, which are not in the code, with what says so."""

_REVERT = re.compile(r"(?:revert|reapply)\b", re.IGNORECASE)
_THINGS = r"(?:version|deps?|dependenc\w+|lock\w*|changelog|copyright|licen[cs]e|submodules?|requirements|readme)"
_TOOL = (
    r"(?:ruff|black|prettier|gofmt|rustfmt|clang-format|isort|autopep8|eslint|clippy|mypy|flake8|pylint"
    r"|lint\w*|(?:re)?format\w*|typos?|white ?space|pep ?8|(?:code )?style|indentation)"
)
_FEW = r"(?:(?:some|more|all|a|the|few|minor|for|next|new|pr|code|review|further) )*"
_ENDING = r"(?: (?:errors?|warnings?|issues?|fix(?:es)?|again|everything|code|files))*\W*"
_BRANCH = r"(?:pull request|(?:remote-tracking )?branch|tag|commit|remote|upstream|master|main|develop|origin|')"
_ROUTINE = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:fixup|squash|amend)!.*|(?:wip|work in progress)\b.*",
        rf"(?:bump|upgrade|update|pin)[sd]?(?: \w+){{0,2}} {_THINGS}\b(?: \S+){{0,4}}",
        r"bump(?: \S+){1,3} (?:from \S+ )?to v?\d+\.\S+(?: in \S+)?",
        rf"(?:(?:cut|tag|start|begin|prepare) )?{_FEW}(?:(?:release|version) )?v?\d+(?:\.\d+)+(?: \w+){{0,2}}",
        rf"(?:prepare|cut|tag|make|post|back to)[ -]{_FEW}(?:release|version|development)\b.{{0,20}}",
        r"(?:release|version) v?\d.{0,20}",
        rf"(?:(?:run|apply|fix|appease|satisfy) )?{_FEW}{_TOOL}(?: (?:and|&|\+) {_TOOL})*{_ENDING}",
        rf"(?:apply|address|incorporate|resolve|fix) {_FEW}(?:comments?|feedback|suggestions?|review)(?: from .*)?",
        rf"merge {_BRANCH}.*|merged in\b.*|(?:initial|first) (?:commit|import)\b.*",
    )
]
"""Of whole subjects: a sentence that only begins so says more."""


def query_of(message: str) -> str:
    """What the message says about the change: without the kind of a conventional commit, the numbers of issues, and
    trailers (`Signed-off-by: ...`); cut at a word."""
    paragraphs = re.split(r"\n\s*\n", message.strip())
    while len(paragraphs) > 1 and all(_TRAILER.fullmatch(line.strip()) for line in paragraphs[-1].splitlines()):
        paragraphs.pop()
    subject, *body = "\n\n".join(paragraph.strip() for paragraph in paragraphs).split("\n")
    kept = [line.rstrip() for line in body if not _FOOTER.fullmatch(line.strip())]
    text = re.sub(r"\n{3,}", "\n\n", _without_issues("\n".join([_scoped(_without_issues(subject)), *kept])))
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(maxsplit=1)[0]


def _without_issues(text: str) -> str:
    for pattern in _ASIDE:
        text = pattern.sub("", text)
    return text.strip()


def _scoped(subject: str) -> str:
    """`fix(parser): keep quotes` → `parser: keep quotes`."""
    return _KIND.sub(lambda found: f"{found[1].strip()}: " if found[1] and found[1].strip() else "", subject, count=1)


def why_not(message: str) -> str | None:
    """Why a message is no query; None if it is one."""
    subject = _without_issues(message.strip().partition("\n")[0])
    kind = _KIND.match(subject)
    said = subject[kind.end() :] if kind else subject
    if _REVERT.match(said):
        return "revert"
    is_routine = any(pattern.fullmatch(said) for pattern in _ROUTINE)
    return "trivial message" if is_routine or len(content_words(query_of(message), "en")) < FEWEST_WORDS else None
