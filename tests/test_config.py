"""`assay.yaml`: every fault names file and line; what is not written is the default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.config import Chunking, Config, Corpus, Settings, load, parse
from assay.errors import AssayError
from assay.scaffold import settings_of, settings_yaml
from assay.yaml_source import Source

FAULTS = [
    # text, line and beginning of the message
    ("seed: a", "1: seed is 'a'; expected a whole number"),
    ("client: x\nseed: -1", "2: seed is -1; expected a whole number >= 0"),
    ("seed: 1.5", "1: seed is 1.5; expected a whole number"),
    ("seed: 2024-13-45", "1: seed is '2024-13-45'; expected a whole number"),
    ("seed: yes", "1: seed is 'yes'; expected a whole number"),
    ("seed: true", "1: seed is True; expected a whole number"),
    ("client: ''", "1: client is ''; expected text matching"),
    ("client: ../x", "1: client is '../x'; expected text matching"),
    ("sed: 1", "1: unknown key 'sed'. Did you mean seed?"),
    ("retrieval:\n  tolerence: 1", "2: unknown key 'tolerence'. Did you mean tolerance?"),
    ("retrieval:\n  hybrid:\n    # why\n    weight: 1", "4: unknown key 'weight'. Did you mean"),
    ("paths: {runz: x, gold: y}", "1: unknown key 'runz'. Did you mean runs?"),
    ("zzzz: 1", "1: unknown key 'zzzz'. Known: client, "),
    ("root: /", "1: unknown key 'root'. Known: client, "),
    ("retrieval:\n  k: []", "2: retrieval.k is []; expected a list of length >= 1"),
    ("retrieval:\n  k:\n    - 1\n    - 0", "4: retrieval.k[1] is 0; expected a whole number >= 1"),
    ("retrieval: {variants: bm25}", "1: retrieval.variants is 'bm25'; expected a list"),
    ("retrieval: {page_match: pages}", "1: retrieval.page_match is 'pages'; expected document or page"),
    ("retrieval:\n  gates:\n    - measure: map", "3: retrieval.gates[0] has no 'at_least'"),
    ("retrieval:\n  gates:\n    - measure: map\n      at_least: 1\n      sever: x", "5: unknown key 'sever'. Did you"),
    ("retrieval: 3", "1: retrieval is 3; expected a block of keys"),
    ("embedder: {model: 3}", "1: embedder.model is 3; expected text or null"),
    ("corpora:\n  fr: {index: a, gold: b}\n  en: {index: a}", "3: corpora.en has no 'gold'"),
    ("corpora:\n  fr: {index: a, gold: b}\n  en: {index: a, gold: 3}", "3: corpora.en.gold is 3; expected text"),
    ("comparison:\n  thresholds:\n    map: 1\n    p: -1", "4: comparison.thresholds.p is -1; expected a number >= 0"),
    ("statistics: {alpha: .nan}", "1: statistics.alpha is nan; expected a finite number"),
    ("retrieval:\n  gates:\n  - {measure: map, at_least: -.inf}", "3: retrieval.gates[0].at_least is -inf; expected"),
    ("index:\n  chunking:\n    child_tokens: 9", "2: index.chunking: child_overlap must be less than child_tokens"),
    ("index:\n  chunking: {child_tokens: 2000}", "2: index.chunking: child_tokens must not be more than parent_tokens"),
    ("index: {chunking: {parent_overlap: 2000}}", "1: index.chunking: parent_overlap must be less than parent_tokens"),
    ("retrieval: {hybrid: {bm25_weight: 0, vector_weight: 0}}", "1: retrieval.hybrid: one of bm25_weight and vector_"),
    ("retrieval: {decision: {tune: 0.9}}", "1: retrieval.decision: tune must not be more than good"),
    ("seed: 1\nclient: x\nseed: 2", "3: 'seed' is given twice, first in line 1"),
    ("retrieval:\n  gates:\n    - measure: map\n      measure: p", "4: 'measure' is given twice, first in line 3"),
    ("- seed", "1: it is ['seed']; expected a block of keys"),
    ("1: 2", "1: it has a key that is not text"),
    ("retrieval: {1: 2}", "1: retrieval has a key that is not text"),
    ("seed: 1\na: b: c", "2: not YAML: mapping values are not allowed here"),
    ("seed: 1\n\tclient: x", "2: not YAML: found character '\\t' that cannot start any token"),
    ("seed: [1", "1: not YAML: expected ',' or ']'"),
    ("seed: 1\nclient: \x00", "2: not YAML: special characters are not allowed"),
    ("seed: 1\n---\nseed: 2", "2: not YAML: but found another document"),
    ("seed: !!python/object/apply:os.system [ls]", "1: not YAML: could not determine a constructor for the tag"),
    ("seed: *nowhere", "1: not YAML: found undefined alias 'nowhere'"),
]


@pytest.mark.parametrize(("text", "line"), FAULTS)
def test_a_fault_names_file_and_line(text: str, line: str, tmp_path: Path) -> None:
    path = tmp_path / "assay.yaml"
    path.write_text(text)
    with pytest.raises(AssayError) as raised:
        load(path)
    assert str(raised.value).startswith(f"{path}:{line}")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[" * 5000, "nested too deeply"),
        ("seed: " + "9" * 5000, "not YAML: Exceeds the limit"),
    ],
)
def test_a_fault_without_a_line_names_the_file(text: str, told: str) -> None:
    with pytest.raises(AssayError, match=rf"^a\.yaml: {told}"):
        parse(text, "a.yaml")


def test_a_large_value_is_not_shown_whole() -> None:
    with pytest.raises(AssayError) as raised:
        parse(f"seed: [{', '.join(['abcdefgh' * 20] * 500)}]", "a.yaml")
    assert len(str(raised.value)) < 600


def test_aliases_that_multiply_are_refused_at_once() -> None:
    """Ten lists of ten aliases each: a thousand million entries if they were ever written out."""
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(AssayError, match="unknown key 'a0'"):
        parse("\n".join(lines), "a.yaml")
    with pytest.raises(AssayError, match="given twice"):
        parse("\n".join([*lines, "a0: 1"]), "a.yaml")


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n", "{}", "retrieval:\nindex:\n  chunking:\n"])
def test_what_is_not_written_is_the_default(text: str) -> None:
    assert parse(text, "a.yaml") == Config()


@pytest.mark.parametrize(
    "written",
    [b"seed: 7\nclient: acme\n", b"\xef\xbb\xbfseed: 7\nclient: acme\n", b"seed: 7\r\nclient: acme\r\n"],
    ids=["plain", "byte order mark", "CRLF"],
)
def test_any_editor_will_do(written: bytes, tmp_path: Path) -> None:
    path = tmp_path / "assay.yaml"
    path.write_bytes(written)
    config = load(path)
    assert (config.seed, config.client) == (7, "acme")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"), ("off", "off"), ("y", "y"), ("2026-01-31", "2026-01-31"), ("12:30", "12:30"), ("1_000", "1_000"),
        ("010", 10), ("-7", -7), ("+7", 7), ("0x1F", 31), ("0o17", 15),
        ("1e-3", 0.001), ("1.", 1.0), (".5", 0.5), ("-1.5E+2", -150.0),
        ("true", True), ("False", False), ("null", None), ("~", None), ("", None), ("'1'", "1"), ("v1.2.3", "v1.2.3"),
    ],
)  # fmt: skip
def test_plain_words_are_read_as_yaml_1_2_reads_them(text: str, value: object) -> None:
    data = Source(f"key: {text}", "a.yaml").data["key"]
    assert data == value
    assert type(data) is type(value)


def test_norwegian_is_a_language() -> None:
    assert parse("index: {language: no}", "a.yaml").index.language == "no"


def test_anchors_and_merges() -> None:
    text = """
    corpora:
      fr: &fr {index: fr.db, gold: fr.json}
      both: *fr
      other: {<<: *fr, gold: other.json}
    """
    assert parse(text, "a.yaml").corpora == {
        "fr": Corpus(index="fr.db", gold="fr.json"),
        "both": Corpus(index="fr.db", gold="fr.json"),
        "other": Corpus(index="fr.db", gold="other.json"),
    }


def test_a_fault_in_a_merged_block_has_the_line_of_the_block() -> None:
    with pytest.raises(AssayError, match=r"^a\.yaml:2: unknown key 'constnt'\. Did you mean constant\?"):
        parse("retrieval:\n  hybrid: {<<: {constnt: 3}}", "a.yaml")


@pytest.mark.parametrize(
    ("keys", "line"),
    [((), 1), (("a",), 1), (("a", 0), 1), (("b", "c"), 3), (("b", "absent", "x"), 2), (("absent",), 1)],
)
def test_the_place_of_what_is_absent_is_that_of_what_should_hold_it(keys: tuple[str | int, ...], line: int) -> None:
    assert Source("a: [1]\nb:\n  c: 2\n", "a.yaml").place(keys) == f"a.yaml:{line}"


def test_paths_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/assay.yaml").write_text(f"paths: {{index: data/corpus.db, gold: {tmp_path}/gold.json}}")
    config = load(tmp_path / "project/assay.yaml")
    assert config.path("index") == tmp_path / "project/data/corpus.db"
    assert config.path("gold") == tmp_path / "gold.json"
    monkeypatch.chdir(tmp_path / "project")
    assert load().path("index") == Path("data/corpus.db")
    assert load(Path("assay.yaml")) == load()


def test_without_a_file_the_defaults_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load() == Config()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda path: None, "no such file"),
        (lambda path: path.mkdir(), "cannot be read: Is a directory"),
        (lambda path: path.write_bytes(b"client: x\nseed: \xff"), "not UTF-8 at byte 16"),
    ],
)
def test_a_file_that_cannot_be_read(make: Any, told: str, tmp_path: Path) -> None:
    path = tmp_path / "named.yaml"
    make(path)
    with pytest.raises(AssayError, match=told):
        load(path)


def test_a_rule_between_settings_holds_in_python_too() -> None:
    with pytest.raises(AssayError, match=r"^child_overlap must be less than child_tokens$"):
        Chunking(child_tokens=10, child_overlap=10)
    with pytest.raises(AssayError, match=r"^child_overlap must be less than child_tokens$"):
        msgspec.structs.replace(Chunking(), child_tokens=10)


def test_every_setting_says_what_it_means() -> None:
    """Blocks by their docstring, settings by their description."""

    def silent(block: Any, path: str) -> list[str]:
        found = [] if block.__doc__ else [path]
        for setting in settings_of(block):
            name = f"{path}.{setting.name}"
            if setting.block:
                found += silent(setting.block, name)
            explained = setting.meaning or isinstance(setting.default, Settings)
            found += [] if explained else [name]
        return found

    assert silent(Config, "config") == []


KEYS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([name for kind in (Config, Chunking) for name in kind.__struct_fields__])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@given(KEYS)
def test_whatever_is_written_there_is_either_settings_or_one_line(data: Any) -> None:
    import yaml

    try:
        result: Config | AssayError = parse(yaml.safe_dump(data), "a.yaml")
    except AssayError as fault:
        result = fault
    assert isinstance(result, Config) or str(result).startswith("a.yaml:")


def test_the_written_settings_are_the_defaults() -> None:
    assert parse(settings_yaml(), "assay.yaml") == Config()


def test_every_setting_stands_in_the_written_file() -> None:
    import yaml

    def paths(value: Any, keys: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
        if not isinstance(value, dict):
            return [keys]
        return [path for key, child in value.items() for path in paths(child, (*keys, key))]

    written = set(paths({k: v for k, v in yaml.safe_load(settings_yaml()).items() if v != {}}))
    defaults = msgspec.to_builtins(Config())
    del defaults["root"], defaults["corpora"]
    assert written == set(paths(defaults))
