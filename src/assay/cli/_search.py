"""How `assay search` shows its results. All text is of unknown origin: no markup, no control characters."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.report.text import one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from assay.retrievers.explain import Explanation, Hit

_FIELDS = {"symbol": "in its name", "pair": "in its name", "path": "in its path"}


def as_data(found: Sequence[Explanation]) -> dict[str, Any]:
    """One search as it is; several side by side, by lane."""
    if len(found) == 1:
        return _data(found[0])
    return {"query": found[0].query, "lanes": {str(each.lane): _data(each) for each in found}}


def _data(found: Explanation) -> dict[str, Any]:
    import msgspec

    data: dict[str, Any] = msgspec.to_builtins(found)
    for hit, entry in zip(found.hits, data["hits"], strict=True):
        entry["snippet"] = hit.snippet.text
    return data


def show(found: Sequence[Explanation]) -> None:
    if sys.stdout.isatty():
        from rich.console import Console

        console = Console(markup=False, highlight=False, emoji=False)
        for each in found:
            _show_rich(each, console)
    else:
        print("\n\n".join("\n".join(_plain(each)) for each in found))


def _heading(found: Explanation) -> str:
    words = f" · words: {', '.join(found.terms)}" if found.terms else ""
    nothing = "" if found.hits else " · nothing found"
    lane = f"{found.lane} · " if found.lane else ""
    return one_line(f"{lane}{found.retriever} · {found.chunks:,} chunks{words}{nothing}")


def _where(hit: Hit) -> str:
    if hit.source is None:
        return "not in the index"
    lines = f":{hit.lines[0]}-{hit.lines[1]}" if hit.lines else ""
    return one_line(hit.source) + lines + (f" p.{hit.page}" if hit.page is not None else "")


def _why(hit: Hit) -> list[str]:
    stages = [f"{name} #{place.rank} ({place.scale} {place.score:.3f})" for name, place in hit.stages.items()]
    terms = [f"{one_line(term)} +{value:.2f}" for term, value in _by_field(hit.terms)]
    return [*stages, *terms]


def _by_field(terms: Mapping[str, float]) -> list[tuple[str, float]]:
    """The words of the text one by one, what was found in a field of code together; the data have each term."""
    found: dict[str, float] = {}
    for term, value in terms.items():
        field, is_field, _ = term.partition("@")
        shown = _FIELDS.get(field, term) if is_field else term
        found[shown] = found.get(shown, 0.0) + value
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))


def _plain(found: Explanation) -> list[str]:
    lines = [_heading(found)]
    for hit in found.hits:
        lines += ["", f"{hit.rank}. {_where(hit)}  {found.scale} {hit.score:.4f}  [{one_line(hit.id)}]"]
        lines += [f"   {' · '.join(_why(hit))}"] if _why(hit) else []
        lines += [f"   {one_line(hit.snippet.text)}"]
    return lines


def _show_rich(found: Explanation, console: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    console.print(Text(_heading(found), style="dim"))
    table = Table(show_lines=True, expand=True)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column(found.scale, justify="right", no_wrap=True)
    table.add_column("chunk", ratio=3)
    table.add_column("why", ratio=1)
    for hit in found.hits:
        table.add_row(str(hit.rank), f"{hit.score:.4f}", _chunk(hit), Text("\n".join(_why(hit)), style="dim"))
    if found.hits:
        console.print(table)


def _chunk(hit: Hit) -> Text:
    from rich.text import Text

    text = Text.assemble((_where(hit), "bold"), "\n", (one_line(hit.id), "dim"), "\n")
    text.append("… " if hit.snippet.cut_before else "")
    for word in hit.snippet.words:
        text.append(one_line(word.text), style="bold yellow" if word.is_match else "")
        text.append(" ")
    return text.append("…" if hit.snippet.cut_after else "")
