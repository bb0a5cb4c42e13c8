"""Reading a repository whose names, messages and settings are hostile; messages as queries."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_history import History

from assay.errors import AssayError
from assay.lanes.mining.git import Change, Repository, is_safe
from assay.lanes.mining.messages import LONGEST, query_of, why_not


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "repository")


def test_commits_between_two_points_newest_first(history: History) -> None:
    base = history.commit("first", a_dot_py="a = 1\n")
    second = history.commit("second\n\nwith a body\n\nand more", a_dot_py="a = 2\n")
    third = history.commit("third", a_dot_py="a = 3\n")
    with Repository(history.path) as repository:
        found = list(repository.commits(base, repository.resolve("HEAD")))
        assert [commit.sha for commit in found] == [third, second]
        assert found[1].parents == (base,)
        assert found[1].subject == "second"
        assert "and more" in found[1].message
        assert repository.first_parents(third) == [third, second, base]


def test_edits_renames_and_removals(history: History) -> None:
    body = "".join(f"line {n}\n" for n in range(20))
    history.commit("first", a_dot_py=body, b_dot_py="b\n", c_dot_py="c\n")
    history.git("mv", "a.py", "moved.py")
    history.commit("second", b_dot_py="b2\n", c_dot_py=None, d_dot_py="d\n")
    with Repository(history.path) as repository:
        (commit,) = repository.commits("HEAD^", repository.resolve("HEAD"))
        changes = {
            change.old_path or change.new_path: change for change in repository.changes(commit.parents[0], commit.sha)
        }
        assert {name: change.status for name, change in changes.items()} == {
            "a.py": "R",
            "b.py": "M",
            "c.py": "D",
            "d.py": "A",
        }
        assert changes["a.py"].new_path == "moved.py"
        assert changes["a.py"].old_blob == changes["a.py"].new_blob
        assert (changes["c.py"].new_path, changes["d.py"].old_path) == (None, None)
        assert repository.content(changes["b.py"].new_blob or "") == b"b2\n"
        assert sorted(repository.tree(commit.sha)) == ["b.py", "d.py", "moved.py"]


def test_from_a_folder_inside_the_whole_repository_is_seen(history: History) -> None:
    history.commit("first", inner__a_dot_py="a\n", b_dot_py="b\n")
    history.commit("second", inner__a_dot_py="a2\n", b_dot_py="b2\n")
    with Repository(history.path / "inner") as repository:
        (commit,) = repository.commits("HEAD^", repository.resolve("HEAD"))
        assert sorted(repository.tree(commit.sha)) == ["b.py", "inner/a.py"]
        assert sorted(change.new_path or "" for change in repository.changes(commit.parents[0], commit.sha)) == [
            "b.py",
            "inner/a.py",
        ]


def test_hostile_names_and_messages_are_data(history: History) -> None:
    names = ["-rf.py", "--output=x.py", "a b.py", "new\nline.py", "é.py", ":(top)magic.py", "$(touch pwned).py"]
    history.commit("first", z_dot_py="z\n")
    for name in names:
        history.write(name, f"# {name}\n")
    message = "--exec=touch pwned; `touch pwned` $(touch pwned)\n\n%H %x00 \x1b[31m commit 0000"
    history.save(message)
    with Repository(history.path) as repository:
        (commit,) = repository.commits("HEAD^", repository.resolve("HEAD"))
        assert commit.message.strip() == message
        assert {change.new_path for change in repository.changes(commit.parents[0], commit.sha)} == set(names)
        tree = repository.tree(commit.sha)
        assert repository.content(tree["--output=x.py"]) == b"# --output=x.py\n"
    assert not list(history.path.parent.rglob("pwned"))


def test_links_submodules_and_undecodable_names_are_left_out(history: History) -> None:
    (history.path / "link.py").symlink_to("/etc/passwd")
    (history.path / b"caf\xe9.py".decode("utf-8", "surrogateescape")).write_text("x\n")
    history.commit("first", a_dot_py="a\n")
    with Repository(history.path) as repository:
        assert list(repository.tree("HEAD")) == ["a.py"]
        assert repository.content("0" * 40) is None


@pytest.mark.parametrize(
    ("path", "safe"),
    [("a/b.py", True), ("../b.py", False), ("/b.py", False), ("a/../b", False), (".git/x", False), ("a\\b", False)],
)
def test_paths_that_leave_their_folder(path: str, safe: bool) -> None:
    assert is_safe(path) is safe


def test_the_repository_cannot_make_git_run_something(history: History) -> None:
    history.commit("first", a_dot_py="a = 1\n")
    history.commit("second", a_dot_py="a = 2\n")
    trap = history.path.parent / "trap.sh"
    trap.write_text('#!/bin/sh\ntouch "$(dirname "$0")/pwned"\ncat\n')
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "diff.external", "diff.x.textconv", "diff.x.command"):
        history.git("config", key, str(trap))
    (history.path / ".gitattributes").write_text("*.py diff=x\n")
    with Repository(history.path) as repository:
        (commit,) = repository.commits("HEAD^", repository.resolve("HEAD"))
        assert [change.status for change in repository.changes(commit.parents[0], commit.sha)] == ["M"]
        repository.tree("HEAD")
    assert not (history.path.parent / "pwned").exists()


def test_faults_are_one_line(history: History, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(AssayError, match="plain: git: not a git repository"):
        Repository(tmp_path / "plain")
    with Repository(history.path) as repository:
        with pytest.raises(AssayError, match="the repository has no commit yet"):
            repository.resolve("HEAD")
        history.commit("first", a_dot_py="a\n")
        with pytest.raises(AssayError, match="no commit is called '--output=pwned'"):
            repository.resolve("--output=pwned")
    assert not list(tmp_path.rglob("pwned"))


def test_a_file_that_becomes_a_link_has_no_later_version(history: History) -> None:
    history.commit("first", a_dot_py="a\n")
    (history.path / "a.py").unlink()
    (history.path / "a.py").symlink_to("/etc/passwd")
    history.save("second")
    with Repository(history.path) as repository:
        (commit,) = repository.commits("HEAD^", repository.resolve("HEAD"))
        (change,) = repository.changes(commit.parents[0], commit.sha)
        assert change == Change("T", "a.py", None, change.old_blob, None)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("Compute the retry delay in whole seconds", None),
        ("fix(parser): keep quotes in heredocs (#41)", None),
        ("Accélère la recherche des documents français", None),
        ("fix", "trivial message"),
        ("Fix it", "trivial message"),
        ("wip: retry delay rounding of seconds", "trivial message"),
        ("fixup! Compute the retry delay in whole seconds", "trivial message"),
        ("Bump version to 1.4.0", "trivial message"),
        ("Update dependencies of the whole project", "trivial message"),
        ("v2.3.1", "trivial message"),
        ("Release 2.3", "trivial message"),
        ("Run black", "trivial message"),
        ("Fix formatting", "trivial message"),
        ("Initial commit with everything there is", "trivial message"),
        ('Revert "Compute the retry delay in whole seconds"', "revert"),
        ("", "trivial message"),
        ("build(deps): bump tokio from 1.2 to 1.3", "trivial message"),
        ("chore(release): 1.2.3", "trivial message"),
        ("Start 3.1 development", "trivial message"),
        ("Prepare for release", "trivial message"),
        ("style: run prettier and eslint", "trivial message"),
        ("Fix all linting errors again", "trivial message"),
        ("Address PR review comments", "trivial message"),
        ("Apply suggestions from code review", "trivial message"),
        ("Merge pull request #12 from somebody/branch", "trivial message"),
        ("Merge branch 'delay' into main", "trivial message"),
        ("Fixes #12, closes #13", "trivial message"),
        ("revert: feat: compute the retry delay", "revert"),
        ('Reapply "Compute the retry delay in whole seconds"', "revert"),
        # What only begins like a routine message says more.
        ("Merge overlapping intervals before they are sorted", None),
        ("Release the lock before waiting for the queue", None),
        ("Version the cache keys of rendered pages", None),
        ("Update the version of the index schema when its fields change", None),
        ("Bump the retry limit to 5 when the server is slow", None),
        ("Format dates with the locale of the user", None),
        ("Review queue ignores comments of closed tickets", None),
        ("修复重试延迟的计算", None),
    ],
)
def test_which_messages_are_queries(message: str, reason: str | None) -> None:
    assert why_not(message) == reason


def test_a_query_is_the_message_without_its_trailers() -> None:
    message = "Round the delay\n\nNote: seconds are whole.\nThis is prose.\n\nSigned-off-by: A <a@b>\nChange-Id: I12\n"
    assert query_of(message) == "Round the delay\n\nNote: seconds are whole.\nThis is prose."
    assert query_of("Signed-off-by: A <a@b>") == "Signed-off-by: A <a@b>"
    long = query_of("word " * 1000)
    assert len(long) <= LONGEST
    assert long.endswith("word")


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("fix(parser)!: keep quotes in heredocs (#41)", "parser: keep quotes in heredocs"),
        ("feat: retry with jitter, fixes #12", "retry with jitter"),
        ("[CORE-123] Keep quotes in heredocs", "Keep quotes in heredocs"),
        ("CORE-123: fix: keep quotes in heredocs", "keep quotes in heredocs"),
        ("gh-12345: Fix the reference leak in socket.close", "Fix the reference leak in socket.close"),
        ("#77 Round the delay (closes #7, owner/name#9)", "Round the delay"),
        ("Fixes #12: delay is computed twice", "delay is computed twice"),
        ("Keep quotes [skip ci]", "Keep quotes"),
        ("SHA-256 sums are computed once, not UTF-8 ones", "SHA-256 sums are computed once, not UTF-8 ones"),
        ("note: this is no kind of a commit", "note: this is no kind of a commit"),
        (
            "Keep quotes\r\n\r\nSee #4 for more.\r\n\r\nFixes #3\r\nCc: B <b@example.org>\r\n",
            "Keep quotes\n\nSee #4 for more.",
        ),
        (
            "Keep quotes\n\nThe parser lost them.\nReviewed-by: B <b@example.org>",
            "Keep quotes\n\nThe parser lost them.",
        ),
    ],
)
def test_a_query_is_about_the_change_alone(message: str, query: str) -> None:
    assert query_of(message) == query
