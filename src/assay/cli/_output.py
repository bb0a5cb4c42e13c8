"""What commands share: reports and JSON on stdout, lists on the command line, how an evaluation ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import AssayError

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from assay.config import Config
    from assay.report.blocks import Report
    from assay.report.publish import Published
    from assay.runs.folder import RunFolder
    from assay.runs.forecast import RunEstimate


def words(text: str | None, option: str) -> tuple[str, ...] | None:
    """`a,b` as ('a', 'b'); None where the option was not given. A list without a word is a slip: nothing would be
    taken for it but the default."""
    if text is None:
        return None
    found = tuple(word.strip() for word in text.split(",") if word.strip())
    if not found:
        raise AssayError(f"{option} is '{text}', which names nothing", expected="names between commas, as in a,b")
    return found


def numbers(text: str | None, option: str) -> tuple[int, ...] | None:
    """`1,3,5` as (1, 3, 5)."""
    if text is None:
        return None
    found = [word.strip() for word in text.split(",") if word.strip()]
    if not found or not all(word.isascii() and word.isdigit() and int(word) > 0 for word in found):
        raise AssayError(f"{option} is '{text}'", expected="whole numbers from 1 on, as in 1,3,5")
    return tuple(int(word) for word in found)


def print_json(value: Any) -> None:
    from assay.files import dump_json

    print(dump_json(value, indent=2))


def told(done: Exception, arguments: argparse.Namespace) -> int:
    """A batch file instead of a run."""
    if arguments.json:
        print_json({"written": str(arguments.batch_out), "told": str(done)})
    else:
        print(done)
    return 0


def show(report: Report, *, whole: bool = False, stderr: bool = False) -> None:
    """On the terminal; details are left to the files unless the whole is asked for."""
    from msgspec.structs import replace

    from assay.report.console import Terminal, print_report

    kept = tuple(section for section in report.sections if whole or not section.detail)
    print_report(replace(report, sections=kept), Terminal(stderr=stderr))


def print_estimate(estimate: RunEstimate, arguments: argparse.Namespace) -> None:
    """What a dry run ends with."""
    from assay.report.estimate import estimate_report

    if arguments.json:
        print_json(estimate.as_data())
    else:
        show(estimate_report(estimate))


def finish(published: Published, config: Config, arguments: argparse.Namespace, *, one_of_many: bool = False) -> None:
    """What every evaluation ends with: the summary on stdout, where the report is, a baseline if asked for.

    The JSON of one of many, and what a pipeline is told, is left to the caller: it is one document for all. What was
    asked for is done before anything is printed: whoever reads may stop reading.
    """
    from contextlib import nullcontext

    from assay.cli._ci import tell_pipeline
    from assay.cli._notes import note

    folder = published.run
    baseline = _promoted(folder, config, arguments) if arguments.update_baseline else None
    with nullcontext() if one_of_many else tell_pipeline([published], arguments):
        if not arguments.json:
            show(published.report)
            print(f"\n{folder.path}/report.html")
        elif not one_of_many:
            print_json(published.as_data())
        if isinstance(baseline, AssayError):
            raise baseline
        if baseline is not None:
            note(f"baseline {baseline}", arguments)


def _promoted(folder: RunFolder, config: Config, arguments: argparse.Namespace) -> Path | AssayError:
    """The new baseline, or why there is none: that is told below the results."""
    from datetime import UTC, datetime

    from assay.runs.baselines import promote

    try:
        return promote(folder, config.path("baselines"), today=datetime.now(UTC).date(), force=arguments.force).path
    except AssayError as fault:
        return fault
