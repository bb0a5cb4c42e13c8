"""Reports written where the user says, in the form the file's name says."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.report.blocks import Report


def write_reports(paths: Iterable[Path], report: Report, data: Any) -> None:
    from assay.errors import AssayError
    from assay.files import dump_json, write_atomic
    from assay.report.html import to_html
    from assay.report.markdown import to_markdown

    for path in paths:
        if path.suffix == ".json":
            text = dump_json(data, indent=2) + "\n"
        elif path.suffix in {".md", ".html"}:
            text = (to_markdown if path.suffix == ".md" else to_html)(report)
        else:
            raise AssayError(f"cannot write {path}", expected="a .json, .md or .html file")
        write_atomic(path, text)
