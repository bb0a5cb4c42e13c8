"""Label files: what is read, and what is wrong with which line."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.judges.labels import Label, Marks, read_labels

GOOD = """\
{"case_id": "q1", "rater": "ana", "human": {"verdict": "pass", "overall_score": 4.5}, "judge": {"verdict": "fail"}}

{"case_id": "q1", "rater": "ben", "human": {"correctness": 2}, "answer": "The duty officer.", "evidence_rank": 2}
{"case_id": "q2", "judge": {"verdict": "pass"}, "repeats": [{"verdict": "partial"}], "answer_length": 7}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "labels.jsonl"
    path.write_text(text, "utf-8")
    return path


def test_a_label_file(tmp_path: Path) -> None:
    first, second, third = read_labels(write(tmp_path, GOOD))
    assert first == Label(
        case_id="q1",
        rater="ana",
        human=Marks(verdict="pass", overall_score=4.5),
        judge=Marks(verdict="fail"),
    )
    assert (first.length, second.length, third.length) == (None, 3, 7)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"human": {"verdict": "pass"}}', ":2: it has no 'case_id'"),
        ('{"case_id": "q", "human": {"verdict": "passed"}}', ":2: human.verdict is 'passed'; expected "),
        ('{"case_id": "q", "human": {"clarity": 7}}', ":2: human.clarity is 7; expected a number"),
        ('{"case_id": "q", "human": {"clarity": "4/5"}}', ":2: human.clarity is '4/5'"),
        ('{"case_id": "q", "humn": {"clarity": 4}}', ":2: unknown key 'humn'. Did you mean human?"),
        ('{"case_id": "q", "judge": {"clarty": 4}}', ":2: unknown key 'clarty'. Did you mean clarity?"),
        ('{"case_id": "q"}', ":2: a label without a mark; expected one of verdict, correctness"),
        ('{"case_id": "q", "human": {}, "judge": {"verdict": "pass"}}', ":2: a label without a mark"),
        ('{"case_id": "q", "human": {"clarity": NaN}}', ":2: NaN is not JSON"),
        ("{", ":2: not JSON"),
        ("[]", ":2: it is []; expected a block of keys"),
        ('{"case_id": "", "human": {"clarity": 4}}', ":2: case_id is ''"),
        ('{"case_id": "q0", "human": {"clarity": 4}}', ":2: case 'q0' is labelled twice, first in line 1"),
        (
            "\n".join(['{"case_id": "q0", "rater": "a", "human": {"clarity": 4}}'] * 2),
            ":3: case 'q0' is labelled twice by 'a', first in line 2",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path, f'{{"case_id": "q0", "human": {{"verdict": "pass"}}}}\n{line}\n')
    with pytest.raises(AssayError) as fault:
        read_labels(path)
    assert str(fault.value).startswith(f"{path}{message}")


def test_an_empty_file(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="holds no label"):
        read_labels(write(tmp_path, "\n"))
