"""TREC and BEIR files: every spelling that occurs, every fault with its line, and nothing approximate."""

from __future__ import annotations

import gzip
import math
import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ranking_vectors import Qrels, Run, best_first

from assay.errors import AssayError
from assay.metrics import Measure, measure_runs
from assay.records import Ranking
from assay.trec import JudgedRun, blocks, columns, judge_file, lines, read_pool, read_qrels, read_run, runs
from assay.trec.numbers import ROOM, Words, parse_numbers
from assay.trec.pool import Pool
from assay.trec.tokens import Tokens

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}
RUN = {"q1": {"a": 3.0, "b": 2.5}, "q2": {"c": 1.0}}


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(content: str | bytes) -> Path:
        path = tmp_path / "file.txt"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


Writer = Callable[[str | bytes], Path]


def as_scores(run: dict[str, Ranking]) -> Run:
    return {query: dict(zip(ranking.ids, ranking.scores, strict=True)) for query, ranking in run.items()}


# --- spellings ---------------------------------------------------------------------------------------------------

PLAIN_QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 2\n"
PLAIN_RUN = "q1 Q0 a 1 3.0 tag\nq1 Q0 b 2 2.5 tag\nq2 Q0 c 1 1.0 tag\n"

SPELLINGS: dict[str, Callable[[str], str | bytes]] = {
    "plain": lambda text: text,
    "no end of the last line": lambda text: text.removesuffix("\n"),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "tabs": lambda text: text.replace(" ", "\t"),
    "many blanks": lambda text: text.replace(" ", "  \t "),
    "blanks at the edges": lambda text: text.replace("\n", "  \n  "),
    "blank lines": lambda text: "\n\n" + text.replace("\n", "\n \n"),
    "comments": lambda text: "# a comment\n" + text.replace("\n", "\n# q1 0 z 9\n"),
    "gzip": lambda text: gzip.compress(text.encode()),
    "gzip with byte order mark": lambda text: gzip.compress(b"\xef\xbb\xbf" + text.encode()),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_all_spellings_are_the_same_file(file: Writer, spelling: str) -> None:
    assert read_qrels(file(SPELLINGS[spelling](PLAIN_QRELS))) == QRELS
    assert as_scores(read_run(file(SPELLINGS[spelling](PLAIN_RUN)))) == RUN


def test_words_behind_the_tag_of_a_run_are_ignored(file: Writer) -> None:
    assert as_scores(read_run(file("q1 Q0 a 1 3.0 my tag with words\nq1 Q0 b 2 2.5 tag\nq2 Q0 c 1 1.0 t\n"))) == RUN


def test_a_hash_sign_within_an_id_is_no_comment(file: Writer) -> None:
    assert read_qrels(file("q#1 0 doc#2 1\n")) == {"q#1": {"doc#2": 1}}


def test_negative_grades_and_grades_with_a_sign(file: Writer) -> None:
    assert read_qrels(file("q 0 a -1\nq 0 b +2\nq 0 c 10\n")) == {"q": {"a": -1, "b": 2, "c": 10}}


def test_ids_need_not_be_utf8(file: Writer) -> None:
    grades = read_qrels(file(b"q\xff 0 d\xfe\xe9 1\nq\xff 0 \xc3\xa9t\xc3\xa9 2\n"))
    assert grades == {"q\udcff": {"d\udcfe\udce9": 1, "été": 2}}


# --- BEIR --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("header", ["", "query-id\tcorpus-id\tscore\n"], ids=["no header", "header"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_beir_qrels(file: Writer, header: str, end: str) -> None:
    text = header + "q1\tdoc a\t1\nq1\tb\t0\n"
    assert read_qrels(file(text.replace("\n", end))) == {"q1": {"doc a": 1, "b": 0}}


def test_a_beir_id_may_begin_with_a_hash_sign(file: Writer) -> None:
    assert read_qrels(file("#1\ta\t1\n")) == {"#1": {"a": 1}}


def test_a_beir_folder_gives_its_test_split(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq\tdev\t1\n")
    assert read_qrels(tmp_path) == {"q": {"dev": 1}}
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\ttest\t1\n")
    assert read_qrels(tmp_path) == {"q": {"test": 1}}
    assert read_qrels(tmp_path / "qrels") == {"q": {"test": 1}}
    assert read_pool(tmp_path).path == tmp_path / "qrels" / "test.tsv"


def test_a_folder_without_qrels(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="no qrels in this folder; expected a BEIR folder with qrels/"):
        read_qrels(tmp_path)


# --- faults ------------------------------------------------------------------------------------------------------

LONG = "x" * 10_000_000
QRELS_FAULTS: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "file.txt: no judgements in the file; expected 4 columns: query iteration document grade"),
    "only comments": ("# nothing\n\n", "file.txt: no judgements in the file"),
    "only a header": ("query-id\tcorpus-id\tscore\n", "file.txt: no judgements in the file; expected 3 columns"),
    "three columns": ("q 0 a 1\nq 0 b\n", "file.txt:2: 3 columns in a line of a qrels file; expected 4 columns"),
    "five columns": ("q 0 a 1 x\n", "file.txt:1: 5 columns in a line of a qrels file"),
    "one column": ("q 0 a 1\n\nword\n", "file.txt:3: 1 column in a line of a qrels file"),
    "words": ("q 0 a yes\n", "file.txt:1: grade 'yes'; expected a whole number"),
    "half": ("q 0 a 1\nq 0 b 0.5\n", "file.txt:2: grade '0.5'; expected a whole number"),
    "letter": ("q 0 a 1\nq 0 b x\n", "file.txt:2: grade 'x'; expected a whole number"),
    "huge": ("q 0 a 99999999\n", "file.txt:1: grade '99999999'"),
    "nan": ("q 0 a nan\n", "file.txt:1: grade 'nan'"),
    "twice": (
        "q 0 a 1\n# note\nq 0 b 1\nq 0 a 0\n",
        "file.txt:4: document 'a' of query 'q' stands here again, first in line 1; expected each pair once",
    ),
    "BEIR, word for the first grade": ("q\ta\tx\nq\tb\t1\n", "file.txt:1: grade 'x'; expected a whole number"),
    "BEIR, two columns": ("q\ta\t1\nq\tb\n", "file.txt:2: 2 columns in a line of a BEIR qrels file"),
    "null byte": (b"q 0 a 1\nq 0 \x00 1\n", "file.txt:2: byte 0x00 in the file; expected plain text"),
    "UTF-16": ("q 0 a 1\n".encode("utf-16"), "file.txt:1: byte 0x00 in the file"),
    "PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "file.txt:1: 1 column in a line of a qrels file"),
    "old Mac": ("q 0 a 1\rq 0 b 1\r", "file.txt:1: a carriage return without a line feed"),
    "JSON": ('{"q": {"a": 1}}\n', "file.txt:1: 3 columns in a line of a qrels file"),
    "long line": (LONG, "file.txt:1: 1 column in a line of a qrels file"),
    "long id twice": (f"q 0 {LONG} 1\nq 0 {LONG} 1\n", "file.txt:2: document 'xxx"),
    "long grade": (f"q 0 a {LONG}\n", "file.txt:1: grade 'xxx"),
    "torn gzip": (gzip.compress(PLAIN_QRELS.encode())[:-12], "file.txt: cannot be read: Compressed file ended"),
}


@pytest.mark.parametrize("name", QRELS_FAULTS)
def test_a_fault_in_qrels_names_its_line(file: Writer, name: str) -> None:
    content, told = QRELS_FAULTS[name]
    with pytest.raises(AssayError) as fault:
        read_qrels(file(content))
    assert told in str(fault.value)
    assert len(str(fault.value)) < 500


RUN_FAULTS: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "file.txt: no results in the file; expected 6 columns: query Q0 document rank score tag"),
    "only comments": ("# nothing\n", "file.txt: no results in the file"),
    "five columns": (
        PLAIN_RUN + "q3 Q0 a 1 3.0\n",
        "file.txt:4: 5 columns in a line of a run file; expected 6 columns",
    ),
    "one too few, one too many": ("q Q0 a 1 1\nq Q0 b 2 1 t x\n", "file.txt:1: 5 columns in a line of a run file"),
    "word for a score": (PLAIN_RUN + "q3 Q0 a 1 high t\n", "file.txt:4: score 'high'; expected a number"),
    "nan": (PLAIN_RUN + "q3 Q0 a 1 NaN t\n", "file.txt:4: score 'NaN'; expected a number"),
    "underscore": (PLAIN_RUN + "q3 Q0 a 1 1_0 t\n", "file.txt:4: score '1_0'; expected a number"),
    "comma": (PLAIN_RUN + "q3 Q0 a 1 1,5 t\n", "file.txt:4: score '1,5'; expected a number"),
    "twice": (
        PLAIN_RUN + "q3 Q0 a 1 2 t\nq3 Q0 b 1 2 t\nq3 Q0 a 1 2 t\n",
        "file.txt:6: document 'a' of query 'q3' stands here again, first in line 4; expected each pair once",
    ),
    "twice, apart": (
        PLAIN_RUN + "# note\nq1 Q0 c 3 2 t\nq1 Q0 b 1 2 t\n",
        "file.txt:6: document 'b' of query 'q1' stands here again, first in line 2",
    ),
    "null byte": (b"q Q0 a\x00 1 1 t\n", "file.txt:1: byte 0x00 in the file"),
    "long line": (PLAIN_RUN + LONG + "\n", "file.txt:4: 1 column in a line of a run file"),
    "long score": (f"q Q0 a 1 {LONG} t\n", "file.txt:1: score 'xxx"),
}


@pytest.mark.parametrize("name", RUN_FAULTS)
def test_a_fault_in_a_run_names_its_line(file: Writer, name: str) -> None:
    content, told = RUN_FAULTS[name]
    pool = read_pool(file(PLAIN_QRELS))
    path = file(content)
    for read in (read_run, lambda path: judge_file(path, pool)):
        with pytest.raises(AssayError) as fault:
            read(path)
        assert told in str(fault.value)
        assert len(str(fault.value)) < 500


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"nowhere.txt: cannot be read: No such file or directory"):
        read_qrels(tmp_path / "nowhere.txt")
    with pytest.raises(AssayError, match=r"nowhere.txt: cannot be read: No such file or directory"):
        read_run(tmp_path / "nowhere.txt")


# --- long ids ----------------------------------------------------------------------------------------------------


def test_ids_of_any_length(file: Writer) -> None:
    """Ids that differ in one place only, at the beginning, in the middle and at the end of what is looked at."""
    for size in (1, 7, 8, 9, 16, 63, 64, 65, 200, 1_000_000):
        ids = sorted({at * "x" + "y" + (size - at - 1) * "x" for at in {0, size // 2, size - 1}})
        qrels = {query: {ids[0]: 1} for query in ids}
        pool = read_pool(file("".join(f"{query} 0 {ids[0]} 1\n" for query in ids)))
        run = file("".join(f"{query} Q0 {id_} 0 {score} t\n" for query in ids for score, id_ in enumerate(ids)))
        judged = judge_file(run, pool).judged
        assert pool.as_dict() == qrels
        assert judged.rank.tolist() == [len(ids)] * len(ids)


def test_ids_of_mixed_lengths(file: Writer) -> None:
    ids = [size * "x" for size in range(8, 30)]
    pool = read_pool(file("".join(f"q 0 {id_} {len(id_)}\n" for id_ in ids)))
    judged = judge_file(file("".join(f"q Q0 {id_} 0 {len(id_)} t\n" for id_ in ids)), pool).judged
    assert judged.grade.tolist() == [len(id_) for id_ in reversed(ids)]


# --- numbers -----------------------------------------------------------------------------------------------------

DIGITS = st.text("0123456789", max_size=25)
NUMBERS = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.floats(-100, 100).map(lambda number: f"{number:.6f}"),
    st.floats(-1, 1).map(lambda number: f"{number:.20f}"),
    st.integers().map(str),
    st.builds("{}{}.{}".format, st.sampled_from(["", "-", "+"]), DIGITS, DIGITS),
    st.builds("{}e{}".format, st.floats(-10, 10), st.integers(-400, 400)),
    st.text("0123456789.+-eEnaif_x", min_size=1, max_size=30),
)


def parsed(tokens: list[str]) -> tuple[list[float], list[int]]:
    texts = [token.encode() for token in tokens]
    end = np.cumsum([len(text) + 1 for text in texts]) - 1 + ROOM
    data = b" " * ROOM + b" ".join(texts) + b" " * ROOM
    numbers, wrong = parse_numbers(data, end - np.array([len(text) for text in texts]), end)
    return numbers.tolist(), wrong.tolist()


def single(token: str) -> float:
    """Python's reading in single precision; NaN if it is no number."""
    try:
        value = math.nan if "_" in token else float(token)
    except ValueError:
        value = math.nan
    with np.errstate(over="ignore"):
        return float(np.float32(value))


@given(st.lists(NUMBERS, min_size=1, max_size=20))
def test_numbers_are_read_exactly(tokens: list[str]) -> None:
    numbers, wrong = parsed(tokens)
    expected = [single(token) for token in tokens]
    assert wrong == [at for at, value in enumerate(expected) if math.isnan(value)]
    np.testing.assert_array_equal(numbers, expected)


@given(st.floats(2.0**-20, 2.0**20, width=32), st.integers(8, 22))
def test_numbers_halfway_between_two_of_single_precision(lower: float, decimals: int) -> None:
    """Where cutting off digits would round to the wrong side."""
    upper = float(np.nextafter(np.float32(lower), np.float32(np.inf)))
    token = f"{(lower + upper) / 2:.{decimals}f}"
    assert parsed([token])[0] == [single(token)]


# --- order, blocks, scattered lines ------------------------------------------------------------------------------

IDS = st.text("ab", min_size=1, max_size=3)
QUERIES = st.sampled_from(["1", "2", "a-rather-long-name-of-a-query", "é"])
SCORES = st.sampled_from(["1", "2.5", "-3", "1e-2", "1000000001", "1000000002", "0.5"])
ROWS = st.dictionaries(st.tuples(QUERIES, IDS), SCORES, min_size=1).map(dict.items).map(list).flatmap(st.permutations)


@given(st.dictionaries(QUERIES, st.dictionaries(IDS, st.integers(-1, 3), min_size=1), min_size=1), ROWS, st.data())
def test_files_and_dicts_give_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    qrels: Qrels,
    rows: list[tuple[tuple[str, str], str]],
    data: st.DataObject,
) -> None:
    """Lines in any order, cut into blocks anywhere."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, of in qrels.items() for d, g in of.items()))
    (folder / "run").write_text("".join(f"{query} Q0 {id_} 0 {score} t\n" for (query, id_), score in rows))
    run: Run = {}
    for (query, id_), score in rows:
        run.setdefault(query, {})[id_] = float(score)
    with pytest.MonkeyPatch.context() as patch:
        for module in (blocks, lines):
            patch.setattr(module, "BLOCK_BYTES", data.draw(st.sampled_from([1, 20, 200, 1 << 20])))
        patch.setattr(columns, "_PART_BYTES", data.draw(st.sampled_from([1, 50, 1 << 19])))
        found = judge_file(folder / "run", read_pool(folder / "qrels"))
        rankings = read_run(folder / "run")
    assert set(found.missing) == qrels.keys() - run.keys()
    assert set(found.unknown) == run.keys() - qrels.keys()
    assert as_scores(rankings) == run
    assert {query: list(ranking.ids) for query, ranking in rankings.items()} == {
        query: best_first(scores) for query, scores in run.items()
    }
    names = ["ndcg", "map", "bpref", "judged@2"]
    values = np.column_stack([Measure.parse(name).compute(found.judged) for name in names])
    expected = measure_runs(names, qrels, run)
    rows_of = [[row[name] for name in names] for row in expected.values()]
    np.testing.assert_array_equal(values, np.array(rows_of, np.float64))


def test_a_large_file_is_read_by_two_threads_with_the_same_result(
    file: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = read_pool(file("".join(f"{query} 0 d{query % 7} 1\n" for query in range(50))))
    path = file("".join(f"{query} Q0 d{number} 0 {-number} t\n" for query in range(50) for number in range(7)))
    alone = judge_file(path, pool).judged
    used = set()

    def spy(*arguments: object) -> object:
        used.add(threading.current_thread() is threading.main_thread())
        return judge_block(*arguments)  # type: ignore[arg-type]

    judge_block = runs._judge_block
    for module in (blocks, runs):
        monkeypatch.setattr(module, "BLOCK_BYTES", 300)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(runs, "_judge_block", spy)
    together = judge_file(path, pool).judged
    assert used == {False}
    assert together.rank.tolist() == alone.rank.tolist() == [query % 7 + 1 for query in range(50)]


def test_a_pipe_is_read_once(tmp_path: Path, file: Writer) -> None:
    pool = read_pool(file(PLAIN_QRELS))
    assert judge_through_pipe(tmp_path / "in_order", PLAIN_RUN, pool).missing == ()
    with pytest.raises(AssayError, match=r"a pipe can be read only once. Write the run to a file first"):
        judge_through_pipe(tmp_path / "scattered", PLAIN_RUN + "q1 Q0 z 1 1 t\n", pool)


def judge_through_pipe(path: Path, text: str, pool: Pool) -> JudgedRun:
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(text,))
    writer.start()
    try:
        return judge_file(path, pool)
    finally:
        writer.join()


# --- exactness ---------------------------------------------------------------------------------------------------


def colliding(count: int) -> list[bytes]:
    """Different ids of sixteen bytes with the same hash: the second half takes back what the first has changed."""
    salt = np.zeros(1, np.uint64)
    ids = [b"aaaaaaaabbbbbbbb"]
    number = 0
    while len(ids) < count:
        number += 1
        first = f"{number:08x}".encode()
        second = int.from_bytes(ids[0][8:], "little") ^ half(ids[0][:8], salt) ^ half(first, salt)
        id_ = first + second.to_bytes(8, "little")
        if min(id_) > ord("#"):
            ids.append(id_)
    return ids


def half(first: bytes, salt: Words) -> int:
    """The state of the hash behind the first eight bytes of a token of sixteen."""
    state = int(salt[0]) * 0xC2B2AE3D27D4EB4F + 16
    mixed = (state ^ int.from_bytes(first, "little")) * 0x9E3779B97F4A7C15 % (1 << 64)
    return mixed ^ mixed >> 32


def test_ids_with_the_same_hash_are_told_apart(file: Writer) -> None:
    ids = colliding(4)
    tokens = Tokens(b" " * ROOM + b"".join(ids) + b" " * ROOM, ROOM + 16 * np.arange(4), ROOM + 16 * np.arange(1, 5))
    assert len(set(tokens.hashes(np.zeros(4, np.uint64)).tolist())) == 1, "the test's own premise"
    judgements = b"".join(b"q 0 %s %d\n" % (id_, grade) for grade, id_ in enumerate(ids[:3], 1))
    pool = read_pool(file(judgements + b"z 0 other 9\n"))
    run = file(b"".join(b"q Q0 %s 0 %d t\n" % (id_, score) for score, id_ in enumerate(ids)) + b"z Q0 other 0 0 t\n")
    judged = judge_file(run, pool).judged
    assert (judged.rank.tolist(), judged.grade.tolist()) == ([2, 3, 4, 1], [3, 2, 1, 9])
