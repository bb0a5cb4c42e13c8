"""Cases from real small histories: what a commit changed is expected; what is left out is counted by reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from git_history import History
from small_index import write_index

from assay.corpus.code import unit_files, units_of
from assay.corpus.index import Index
from assay.errors import AssayError
from assay.lanes.cases import read_cases
from assay.lanes.mining.git import Repository
from assay.lanes.mining.ground import Checkout
from assay.lanes.mining.miner import Mined, MineOptions, mine
from assay.lanes.mining.units import Version, changed_units
from assay.records import Chunk

DELAY = '''\
"""Retries."""


def delay(attempt):
    """Seconds before the next try."""
    return 2 ** attempt


class Policy:
    """When to try again."""

    limit = 5

    def may_retry(self, attempt):
        return attempt < self.limit

    def wait(self, attempt):
        return delay(attempt)
'''


def build(folder: Path, out: Path) -> None:
    chunks = [
        Chunk(id=unit.id, text=unit.text, source=path.relative_to(folder).as_posix(), lane="code")
        for path in unit_files(folder)
        for unit in units_of(path.relative_to(folder).as_posix(), path.read_bytes())
    ]
    write_index(out, chunks).close()


def mined(history: History, **changes: object) -> Mined:
    given = {"repository": history.path, "out": history.path.parent / "cases.json", **changes}
    return mine(MineOptions(**given), build, lambda _: None)  # type: ignore[arg-type]


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "repository")
    made.commit("Add the retry policy of the courier", retry_dot_py=DELAY)
    return made


def test_a_commit_is_a_case_for_the_units_it_changed(history: History) -> None:
    base = history.git("rev-parse", "HEAD")
    sha = history.commit("Cap the retry delay at one minute", retry_dot_py=DELAY.replace("2 **", "min(60, 2) **"))
    found = mined(history, base=base)
    (case,) = found.cases
    assert case.id == f"commit-{sha[:12]}"
    assert (case.lane, case.spec_id, case.description) == ("code", sha, "Cap the retry delay at one minute")
    assert case.expected_ids == ("code:retry.py::delay",)
    assert (found.base, found.head, found.commits, found.left_out) == (base, sha, 1, {})


def test_the_fix_is_not_in_the_index(history: History, tmp_path: Path) -> None:
    base = history.git("rev-parse", "HEAD")
    history.commit("Cap the retry delay at one minute", retry_dot_py=DELAY.replace("2 **", "min(60, 2) **"))
    found = mined(history, base=base)
    with Index.open(tmp_path / "cases.base.db") as index:
        assert set(found.cases[0].expected_ids) <= set(index.ids)
        assert not any("min(60" in text for text in index.texts())


def test_the_file_is_a_case_file_that_names_its_index(history: History, tmp_path: Path) -> None:
    base = history.git("rev-parse", "HEAD")
    history.commit("Cap the retry delay at one minute", retry_dot_py=DELAY.replace("2 **", "min(60, 2) **"))
    found = mined(history, base=base)
    (placed,) = read_cases(tmp_path / "cases.json")
    assert placed.case == found.cases[0]
    assert placed.index == tmp_path / "cases.base.db"
    assert str(history.path) not in (tmp_path / "cases.json").read_text()


def test_what_is_left_out_is_counted_by_reason(history: History) -> None:
    base = history.git("rev-parse", "HEAD")
    history.commit("Explain the retry policy to operators", README_dot_md="# Retries\n")
    history.commit("wip", retry_dot_py=DELAY.replace("2 **", "3 **"))
    history.commit("Use a wider layout for the policy", retry_dot_py=DELAY.replace("2 **", "3  **") + "\n\n")
    history.git("mv", "retry.py", "again.py")
    history.save("Rename the retry module to again")
    history.commit("Add a module about queue lengths", queue_dot_py="def length():\n    return 0\n")
    history.commit("Return one for empty queue lengths", queue_dot_py="def length():\n    return 1\n")
    history.commit("Test the policy of retries", tests__test_again_dot_py="def test_delay():\n    assert True\n")
    history.commit("Test the policy of retries twice", tests__test_again_dot_py="def test_delay():\n    assert 1\n")
    history.git("checkout", "--quiet", "-b", "side", base)
    history.commit("Cap the retry delay at one minute", retry_dot_py=DELAY.replace("2 **", "min(60, 2) **"))
    history.git("checkout", "--quiet", "main")
    history.git("merge", "--quiet", "--no-ff", "-s", "ours", "-m", "Join the side line of retries", "side")
    found = mined(history, base=base)
    assert found.left_out == {
        "merge": 1,
        "no source file": 1,
        "only formatting, comments or imports": 1,
        "only new files": 2,
        "only renames or file modes": 1,
        "only tests": 1,
        "only units that are not in the base": 1,
        "trivial message": 1,
    }
    assert [case.expected_ids for case in found.cases] == [("code:retry.py::delay",)]
    assert found.commits == sum(found.left_out.values()) + len(found.cases)


def test_a_change_that_is_already_in_the_base_is_left_out(history: History) -> None:
    """The same fix on a side line: the index holds it, so the search would find the fix itself."""
    start = history.git("rev-parse", "HEAD")
    fixed = DELAY.replace("2 **", "min(60, 2) **")
    base = history.commit("Cap the retry delay at one minute", retry_dot_py=fixed)
    history.git("checkout", "--quiet", "-b", "side", start)
    history.commit("Cap the retry delay again on the side", retry_dot_py=fixed)
    found = mined(history, base=base)
    assert (found.cases, found.left_out) == ((), {"already in the base": 1})


def test_the_parent_of_each_commit_can_be_indexed(history: History, tmp_path: Path) -> None:
    """The last commit changes what was added after the base: it gives a case only with its parent indexed."""
    base = history.git("rev-parse", "HEAD")
    history.commit("Cap the retry delay at one minute", retry_dot_py=DELAY.replace("2 **", "min(60, 2) **"))
    parent = history.commit("Add a module about queue lengths", queue_dot_py="def length():\n    return 0\n")
    history.commit("Return one for empty queue lengths", queue_dot_py="def length():\n    return 1\n")
    mined(history, base=base, parents=True)
    placed = {each.case.description: each for each in read_cases(tmp_path / "cases.json")}
    assert {name: each.case.expected_ids for name, each in placed.items()} == {
        "Cap the retry delay at one minute": ("code:retry.py::delay",),
        "Return one for empty queue lengths": ("code:queue.py::length",),
    }
    indexes = {name: texts_of(each.index) for name, each in placed.items()}
    assert not any("min(60" in text for text in indexes["Cap the retry delay at one minute"])
    assert not any("return 1" in text for text in indexes["Return one for empty queue lengths"])
    assert any("min(60" in text for text in indexes["Return one for empty queue lengths"])
    assert placed["Return one for empty queue lengths"].index == tmp_path / "cases.parents" / f"{parent[:12]}.db"


def test_a_folder_may_become_a_file_and_a_large_file_is_passed_over(history: History, tmp_path: Path) -> None:
    sources = {"pack.py/inner.py": "def inner():\n    return 1\n", "far/huge.py": "x = 1\n" * 200_000}
    for name, text in sources.items():
        history.write(name, text)
    first = history.save("Add a folder with a strange name")
    history.write("pack.py/inner.py", None)
    history.write("far/huge.py", None)
    (history.path / "pack.py").rmdir()
    history.write("pack.py", "def outer():\n    return 2\n")
    second = history.save("Make it a file")
    with Repository(history.path) as repository:
        checkout = Checkout(repository, tmp_path / "tree")
        for commit, files in (
            (first, ["pack.py/inner.py", "retry.py"]),
            (second, ["pack.py", "retry.py"]),
            (first, None),
        ):
            checkout.move_to(commit)
            there = sorted(path.relative_to(tmp_path / "tree").as_posix() for path in unit_files(tmp_path / "tree"))
            assert files is None or there == files


def texts_of(path: Path | None) -> list[str]:
    assert path is not None
    with Index.open(path) as index:
        return index.texts()


def test_a_file_that_grows_too_large_is_not_taken_for_one_that_is_gone(history: History) -> None:
    base = history.git("rev-parse", "HEAD")
    history.commit("Unroll the retry delay into a table", retry_dot_py=DELAY + "x = 1\n" * 200_000)
    assert mined(history, base=base).left_out == {"a file is too large or not in this clone": 1}


def test_a_base_without_sources_says_so(history: History, tmp_path: Path) -> None:
    base = history.commit("Remove everything", retry_dot_py=None)
    history.commit("Begin again with retries", retry_dot_py=DELAY)
    with pytest.raises(AssayError, match=f"repository: commit {base[:12]} has no source file"):
        mined(history, base=base)


def test_a_clone_without_contents_says_so(history: History, tmp_path: Path) -> None:
    history.commit("Set the limit of retries to six", retry_dot_py=DELAY.replace("= 5", "= 6"))
    history.git("config", "uploadpack.allowFilter", "true")
    copy = tmp_path / "partial"
    history.git("clone", "--quiet", "--no-checkout", "--filter=blob:none", history.path.as_uri(), str(copy))
    with pytest.raises(AssayError, match=r"none of the 1 source files of commit .* is in this clone"):
        mine(MineOptions(repository=copy, out=tmp_path / "cases.json"), build, lambda _: None)


def test_large_commits_and_repeated_messages(history: History) -> None:
    many = "".join(f"def f{n}():\n    return 1\n\n\n" for n in range(9))
    base = history.commit("Add nine functions that give one", many_dot_py=many)
    history.commit("Let all functions give two instead", many_dot_py=many.replace("1", "2"))
    history.commit("Limit the number of retries to six", retry_dot_py=DELAY.replace("limit = 5", "limit = 6"))
    history.commit("Limit the number of retries to six", retry_dot_py=DELAY.replace("limit = 5", "limit = 7"))
    found = mined(history, base=base)
    assert found.left_out == {"same message as another": 1, "too large": 1}
    assert [case.expected_ids for case in found.cases] == [("code:retry.py::Policy",)]
    assert mined(history, base=base, max_files=1, max_units=99).left_out == {"same message as another": 1}


def test_a_renamed_and_edited_file_is_expected_under_its_old_path(history: History) -> None:
    base = history.git("rev-parse", "HEAD")
    history.git("mv", "retry.py", "again.py")
    history.commit("Cap the delay and rename its module", again_dot_py=DELAY.replace("2 **", "min(60, 2) **"))
    assert [case.expected_ids for case in mined(history, base=base).cases] == [("code:retry.py::delay",)]


BODY = """\
    seconds = 0
    for attempt in range(limit):
        seconds += min(60, 2 ** attempt)
    return seconds
"""


def following(history: History, base: str) -> dict[str, tuple[str, ...]]:
    return {case.description: case.expected_ids for case in mined(history, base=base).cases}


def test_a_file_that_was_renamed_after_the_base_is_followed(history: History) -> None:
    base = history.git("rev-parse", "HEAD")
    history.git("mv", "retry.py", "again.py")
    history.save("Rename the retry module to again")
    history.git("mv", "again.py", "once more.py")
    history.save("Rename the module of retries twice")
    history.write("once more.py", DELAY.replace("2 **", "min(60, 2) **"))
    history.save("Cap the retry delay at one minute")
    history.commit("Begin another module about retries", retry_dot_py="def delay(attempt):\n    return 1\n")
    history.commit("Let the other retry delay be two", retry_dot_py="def delay(attempt):\n    return 2\n")
    assert following(history, base) == {"Cap the retry delay at one minute": ("code:retry.py::delay",)}


def test_a_unit_that_was_renamed_after_the_base_is_followed(history: History) -> None:
    base = history.commit("Add the whole delay of retries", total_dot_py=f"def total(limit):\n{BODY}")
    history.commit("Rename the total to the whole delay", total_dot_py=f"def whole_delay(limit):\n{BODY}")
    history.commit(
        "Add a total that is no delay", total_dot_py=f"def whole_delay(limit):\n{BODY}\n\ndef total():\n    0\n"
    )
    later = BODY.replace("60", "90")
    history.commit(
        "Cap the whole delay later", total_dot_py=f"def whole_delay(limit):\n{later}\n\ndef total():\n    1\n"
    )
    found = mined(history, base=base)
    assert [case.expected_ids for case in found.cases] == [("code:total.py::total",)]
    assert found.left_out == {"only new units": 1, "only renames or file modes": 1}


def test_a_unit_that_was_moved_after_the_base_is_followed(history: History) -> None:
    base = history.commit("Add the whole delay of retries", retry_dot_py=f"{DELAY}\n\ndef total(limit):\n{BODY}")
    history.commit("Move the total to its own module", retry_dot_py=DELAY, total_dot_py=f"def total(limit):\n{BODY}")
    history.commit(
        "Cap the total delay of retries later", total_dot_py=f"def total(limit):\n{BODY.replace('60', '90')}"
    )
    found = mined(history, base=base)
    assert [case.expected_ids for case in found.cases] == [("code:retry.py::total",)]
    assert found.left_out == {"only renames or file modes": 1}


def test_a_class_takes_its_methods_with_it_and_callers_follow(history: History) -> None:
    caller = "from retry import Policy\n\n\ndef patient():\n    return Policy().may_retry(3)\n"
    history.commit("Add a caller of the policy", caller_dot_py=caller)
    short = "    def ends(self):\n        return 1\n"
    base = history.commit("Let the policy end some day", retry_dot_py=f"{DELAY}\n{short}")
    renamed = DELAY.replace("Policy", "Patience") + "\n" + short
    history.commit("Call the policy patience", retry_dot_py=renamed, caller_dot_py=caller.replace("Policy", "Patience"))
    history.commit("Let patience end on the second day", retry_dot_py=renamed.replace("return 1", "return 2"))
    found = mined(history, base=base)
    assert [case.expected_ids for case in found.cases] == [("code:retry.py::Policy::ends",)]
    assert found.left_out == {"only renames or file modes": 1}


def test_of_a_large_commit_files_are_followed_alone(history: History) -> None:
    base = history.commit("Add the whole delay of retries", total_dot_py=f"def total(limit):\n{BODY}")
    history.git("mv", "retry.py", "again.py")
    history.git("mv", "total.py", "sum.py")
    history.commit("Move everything somewhere else", sum_dot_py=f"def whole(limit):\n{BODY}")
    history.commit("Cap the retry delay at one minute", again_dot_py=DELAY.replace("2 **", "min(60, 2) **"))
    history.commit("Cap the whole delay of retries", sum_dot_py=f"def whole(limit):\n{BODY.replace('60', '90')}")
    found = mined(history, base=base, max_files=1)
    assert [case.expected_ids for case in found.cases] == [("code:retry.py::delay",)]
    assert found.left_out == {"only units that are not in the base": 1, "too large": 1}


def test_a_line_that_forked_before_the_base_is_followed_from_there(history: History) -> None:
    fork = history.git("rev-parse", "HEAD")
    history.git("mv", "retry.py", "again.py")
    base = history.save("Rename the retry module to again")
    history.git("checkout", "--quiet", "-b", "side", fork)
    history.commit("Cap the retry delay at one minute", retry_dot_py=DELAY.replace("2 **", "min(60, 2) **"))
    history.git("checkout", "--quiet", "main")
    history.git("merge", "--quiet", "-m", "Merge branch 'side'", "side")
    history.commit(
        "Set the limit of retries to seven", again_dot_py=DELAY.replace("2 **", "min(60, 2) **").replace("= 5", "= 7")
    )
    assert following(history, base) == {
        "Cap the retry delay at one minute": ("code:again.py::delay",),
        "Set the limit of retries to seven": ("code:again.py::Policy",),
    }


def test_a_rename_on_a_side_line_holds_after_the_merge(history: History) -> None:
    base = history.git("rev-parse", "HEAD")
    history.git("checkout", "--quiet", "-b", "side")
    history.git("mv", "retry.py", "again.py")
    history.save("Rename the retry module to again")
    history.git("checkout", "--quiet", "main")
    history.commit("Set the limit of retries to seven", retry_dot_py=DELAY.replace("= 5", "= 7"))
    history.git("merge", "--quiet", "-m", "Merge branch 'side'", "side")
    history.commit(
        "Cap the retry delay at one minute", again_dot_py=DELAY.replace("= 5", "= 7").replace("2 **", "3 **")
    )
    assert following(history, base) == {
        "Set the limit of retries to seven": ("code:retry.py::Policy",),
        "Cap the retry delay at one minute": ("code:retry.py::delay",),
    }


def test_short_bodies_that_are_equal_by_accident_are_no_rename(history: History) -> None:
    base = history.commit("Add a function that gives one", one_dot_py="def first():\n    return 1\n")
    history.commit("Replace the first by a second", one_dot_py="def second():\n    return 1\n")
    assert following(history, base) == {"Replace the first by a second": ("code:one.py::first",)}


def test_two_units_with_the_same_body_are_not_told_apart(history: History) -> None:
    twice = f"def first(limit):\n{BODY}\n\ndef other(limit):\n{BODY}"
    base = history.commit("Add the same delay twice", twice_dot_py=twice)
    history.commit("Keep only one whole delay", twice_dot_py=f"def only(limit):\n{BODY}")
    assert following(history, base) == {"Keep only one whole delay": ("code:twice.py::first", "code:twice.py::other")}


def test_a_binary_file_is_no_source(history: History) -> None:
    history.write("film.ts", "G\0 export function f() { return 1 }\n")
    base = history.save("Add a film with a name like source")
    history.write("film.ts", "G\0 export function f() { return 2 }\n")
    history.save("Cut the end of the film")
    history.write("film.ts", "G\0 export function f() { return 3 }\n")
    history.commit("Cut the film and cap the delay", retry_dot_py=DELAY.replace("2 **", "3 **"))
    found = mined(history, base=base)
    assert found.left_out == {"no source file": 1}
    assert [case.expected_ids for case in found.cases] == [("code:retry.py::delay",)]


def test_vendored_code_is_nobody_s_change(history: History) -> None:
    base = history.commit("Add what others wrote", vendor__their_dot_py="def theirs():\n    return 1\n")
    history.commit("Take what others wrote since then", vendor__their_dot_py="def theirs():\n    return 2\n")
    assert mined(history, base=base).left_out == {"no source file": 1}


def test_without_a_base_half_of_the_main_line_is_learned_from(history: History) -> None:
    for number in range(3):
        history.commit(f"Set the limit of retries to {number}", retry_dot_py=DELAY.replace("= 5", f"= {number}"))
    found = mined(history)
    assert found.base == history.git("rev-parse", "HEAD~2")
    assert found.commits == 2
    assert mined(history, commits=1).base == history.git("rev-parse", "HEAD~1")


def test_a_base_after_which_nothing_comes_is_a_mistake(history: History) -> None:
    history.commit("Set the limit of retries to six", retry_dot_py=DELAY.replace("= 5", "= 6"))
    with pytest.raises(AssayError, match="no commit of HEAD~1 comes after HEAD"):
        mined(history, base="HEAD", head="HEAD~1")


def test_a_folder_is_no_file_for_cases(history: History, tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="is a folder; expected a file for the cases"):
        mined(history, out=tmp_path)


def test_a_history_of_one_commit_is_too_short(history: History) -> None:
    with pytest.raises(AssayError, match="too short"):
        mined(history)


def test_the_same_history_gives_the_same_bytes(history: History, tmp_path: Path) -> None:
    base = history.git("rev-parse", "HEAD")
    history.commit("Cap the retry delay at one minute", retry_dot_py=DELAY.replace("2 **", "min(60, 2) **"))
    mined(history, base=base)
    first = (tmp_path / "cases.json").read_bytes()
    mined(history, base=base)
    assert (tmp_path / "cases.json").read_bytes() == first
    assert json.loads(first)["mined"]["base"] == base


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("2 **", "3 **", ["delay"]),
        ("attempt < self.limit", "attempt <= self.limit", ["Policy::may_retry"]),
        ("limit = 5", "limit = 6", ["Policy"]),
        ('"""Retries."""', '"""Retries, again."""', []),
        ("    def wait(self", "    def stop(self):\n        pass\n\n    def wait(self", ["Policy"]),
        ("    def wait(self, attempt):\n        return delay(attempt)\n", "", ["Policy::wait"]),
        ("def delay(attempt):", "import time\n\n\ndef delay(attempt):", []),
        ("return 2 ** attempt", "return (2 ** attempt)  # doubled", []),
    ],
)
def test_a_unit_changes_by_its_own_lines(old: str, new: str, changed: list[str]) -> None:
    assert DELAY.count(old) == 1
    before, after = (Version.read("a.py", text.encode()) for text in (DELAY, DELAY.replace(old, new)))
    assert [unit.symbol for unit in changed_units(before, after)] == changed
    assert changed_units(before, before) == []
