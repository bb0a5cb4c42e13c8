"""The worked examples of docs/statistics.md are run, and nothing public is left unexplained there."""

from __future__ import annotations

import doctest
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "statistics.md"


def test_the_examples_do_what_they_say() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS, encoding="utf-8")
    assert tried >= 25
    assert failed == 0


def test_every_function_is_explained() -> None:
    import assay.stats

    text = PAGE.read_text(encoding="utf-8")
    types = {"PairedTest", "Verdict", "wilson"}
    assert [name for name in assay.stats.__all__ if name not in text and name not in types] == []
