"""HTML and SVG from small pieces. Escaping happens here and nowhere else: what is not `Markup` is text."""

from __future__ import annotations

from html import escape

from assay.report.text import visible


class Markup(str):
    """Text that is markup already. Only this module and packaged assets make it."""

    __slots__ = ()


def markup_of(text: str) -> Markup:
    """Any text as markup that shows it; markup stays as it is."""
    return text if isinstance(text, Markup) else Markup(escape(visible(text)))


def join(pieces: list[Markup]) -> Markup:
    return Markup("".join(pieces))


def element(name: str, /, *children: str, **attributes: str | float | None) -> Markup:
    """`element("p", text, class_="note", data_n=3)` is `<p class="note" data-n="3">…</p>`; None: no such attribute."""
    # In one go: a page's data are megabytes, and each element around them would copy them once more.
    return Markup("".join([f"<{name}{_attributes(attributes)}>", *map(markup_of, children), f"</{name}>"]))


def void(name: str, /, **attributes: str | float | None) -> Markup:
    """An element that cannot hold anything, such as `<meta>` or a line of a chart."""
    return Markup(f"<{name}{_attributes(attributes)}/>")


def _attributes(attributes: dict[str, str | float | None]) -> str:
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
        if value is not None
    )


def _value(value: str | float) -> str:
    """Coordinates need no more than a hundredth; text is escaped."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return markup_of(str(value))
