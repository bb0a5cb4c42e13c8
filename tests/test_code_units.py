"""Ids that are unique and stable, long bodies, files that do not parse, tests, odd encodings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.corpus.code import extract, units_of
from assay.corpus.code.walker import DEEPEST, LONGEST
from assay.errors import AssayError, MissingExtra

SAMPLES = Path(__file__).parent / "code_samples"
NAMES = sorted(path.name for path in SAMPLES.iterdir() if path.is_file())


def names(path: str, source: str) -> list[str]:
    return [unit.id.removeprefix(f"code:{path}::") for unit in units_of(path, source.encode())]


@pytest.mark.parametrize("name", NAMES)
def test_ids_stay_when_lines_move(name: str) -> None:
    source = (SAMPLES / name).read_bytes()
    before = [unit for unit in units_of(name, source) if "@" not in unit.id]
    moved = [unit for unit in units_of(name, b"\n\n\n" + source) if "@" not in unit.id]
    assert [unit.id for unit in moved] == [unit.id for unit in before]
    assert [unit.text for unit in moved] == [unit.text for unit in before]
    assert [unit.first_line for unit in moved] == [unit.first_line + 3 for unit in before]


@pytest.mark.parametrize("name", NAMES)
def test_line_ends_do_not_matter(name: str) -> None:
    source = (SAMPLES / name).read_bytes()
    assert units_of(name, source.replace(b"\n", b"\r\n")) == units_of(name, source)


OVERLOADS = [
    # The one with a body keeps the name.
    ("a.ts", "function f(a: string): void;\nfunction f(a: any) {}", ["f(a:string)", "f"]),
    ("a.c", "int f(int a);\nint f(int a) { return a; }", ["f(int a)", "f"]),
    # Several with bodies: each by its parameters, whatever their order.
    ("A.java", "class A { void f(int a) {} void f(long a) {} }", ["A", "A::f(int a)", "A::f(long a)"]),
    ("A.java", "class A { void f(long a) {} void f(int a) {} }", ["A", "A::f(long a)", "A::f(int a)"]),
    ("a.cpp", "int f(char  *a) {}\nint f( char a ) {}", ["f(char*a)", "f(char a)"]),
    # Without parameters the kind tells them apart, and only then the order.
    ("a.ts", "const Kind = 1;\ntype Kind = 2;", ["Kind@constant", "Kind@type"]),
    ("a.rs", "impl A { fn f() {} }\nimpl A { fn f() {} }", ["impl A@impl", "A::f()", "impl A@impl#2", "A::f()#2"]),
    ("a.py", "def f(): ...\ndef f(): ...\ndef f(): ...", ["f()", "f()#2", "f()#3"]),
    # Getter and setter, in JavaScript too.
    ("a.js", "class A { get x() { } set x(v) { } }", ["A", "A::x()", "A::x(v)"]),
    # The same name in two scopes is no conflict.
    ("a.py", "class A:\n  def f(self): ...\nclass B:\n  def f(self): ...", ["A", "A::f", "B", "B::f"]),
    ("a.go", "package a\nfunc (A) F() {}\nfunc (b *B) F() {}", ["A::F", "B::F"]),
]


@pytest.mark.parametrize(("path", "source", "expected"), OVERLOADS)
def test_units_of_one_name_are_told_apart(path: str, source: str, expected: list[str]) -> None:
    assert names(path, source) == expected


def test_a_unit_without_a_symbol_is_named_by_kind_and_line() -> None:
    (unit,) = units_of("a.c", b"\n\nenum { ONE, TWO };")
    assert (unit.id, unit.symbol, unit.kind) == ("code:a.c::enum@3", None, "enum")


def test_a_path_with_spaces_gives_ids_without() -> None:
    (unit,) = units_of("my tools/a b.py", b"def f(): ...")
    assert unit.id == "code:my%20tools/a%20b.py::f"


def test_a_long_body_is_cut_at_a_line() -> None:
    body = "\n".join(f"    x{n} = 'é€😀'" for n in range(2000))
    (unit,) = units_of("a.py", f"def f():\n{body}".encode())
    assert unit.tags == ("cut",)
    assert len(unit.text) <= LONGEST
    assert unit.text.endswith("'é€😀'")
    assert (unit.first_line, unit.last_line) == (1, 2001)


def test_one_endless_line_is_cut_between_characters() -> None:
    (unit,) = units_of("a.py", f"X = '{'😀' * 3 * LONGEST}'".encode())
    assert len(unit.text) == LONGEST
    assert unit.text[-1] == "😀"


BROKEN = {
    "a.py": ("def f():\n    return 1\n\nclass (:\n    pass\n\ndef g():\n    return 2\n", {"f", "g"}, 4),
    "a.rs": ("fn f() {}\nfn ( {\nfn g() {}\n", {"f"}, 2),
    "a.go": ("package a\nfunc f() {}\nfunc ( {\n", {"f"}, 3),
    "A.java": ("class A { void f() {} void ( }\n", {"A::f"}, 1),
}


@pytest.mark.parametrize("path", BROKEN)
def test_a_broken_file_is_cut_as_far_as_it_parses(path: str) -> None:
    source, expected, line = BROKEN[path]
    found = extract(path, source.encode())
    assert found.broken_at == line
    assert expected <= {unit.symbol for unit in found.units}


def test_an_unbroken_file_says_nothing() -> None:
    assert extract("a.py", b"").units == []
    assert extract("a.py", b"x = 1").broken_at is None


TESTS = [
    ("tests/a.py", "def f(): ...", True),
    ("pkg/test_a.py", "def f(): ...", True),
    ("pkg/latest/a.py", "def f(): ...", False),
    ("pkg/a.py", "def test_connection(): ...", False),
    ("pkg/a.py", "class A(unittest.TestCase):\n    def check(self): ...", True),
    ("a_test.go", "package a\nfunc TestA() {}", True),
    ("a.test.ts", "function f() {}", True),
    ("a.rs", "#[tokio::test]\nasync fn f() {}", True),
    ("a.rs", "/// Not marked with #[test].\nfn f() {}", False),
    ("a.rs", "#[cfg(test)]\nmod m { fn inner() {} }", True),
    ("A.java", "class A { @Test void f() {} }", True),
    ("src/AccountTest.java", "class A { void f() {} }", True),
]


@pytest.mark.parametrize(("path", "source", "is_test"), TESTS)
def test_test_code_is_tagged_and_kept(path: str, source: str, is_test: bool) -> None:
    assert ("test" in units_of(path, source.encode())[-1].tags) is is_test


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_any_encoding_of_documents_is_read(encoding: str) -> None:
    (unit,) = units_of("a.py", "def f():\n    return 'Größe'".encode(encoding))
    assert (unit.symbol, unit.text) == ("f", "def f():\n    return 'Größe'")


def test_comments_that_belong_to_nobody() -> None:
    source = "x = 1  # not of f\ndef f(): ...\n\n# a section\n\ndef g(): ...\n"
    assert [unit.text for unit in units_of("a.py", source.encode()) if unit.symbol] == ["def f(): ...", "def g(): ..."]


def test_deep_nesting_is_no_problem() -> None:
    source = "".join(f"{'  ' * n}class C{n}:\n" for n in range(300)) + "  " * 300 + "pass"
    units = units_of("a.py", source.encode())
    assert [unit.symbol for unit in units][:2] == ["C0", "C0::C1"]
    assert len(units) == DEEPEST
    assert (units[-1].first_line, units[-1].last_line) == (DEEPEST, 301)
    assert units_of("a.js", b"(" * 20_000 + b"function f() {}") is not None


def test_what_is_nested_to_do_harm_ends_soon() -> None:
    depth = 20_000
    units = units_of("a.ts", b"namespace a {\n" * depth + b"}\n" * depth + b"function after() {}")
    assert [len(units), units[-1].symbol] == [DEEPEST + 1, "after"]
    (unit,) = units_of("a.ts", b"namespace " + b"a." * depth + b"b {}")
    assert unit.symbol == "a::" * 333 + "a"


def test_a_long_name_is_cut_in_the_names_of_its_parts() -> None:
    whole, part = units_of("a.py", b"class " + b"A" * 5_000 + b":\n    def f(self): ...\n")
    assert whole.symbol == "A" * 1_000
    assert part.symbol == f"{whole.symbol}::f"


def test_an_unknown_kind_of_file_and_language() -> None:
    with pytest.raises(AssayError, match=r"unknown kind of source file '\.xyz'"):
        units_of("a.xyz", b"")
    with pytest.raises(AssayError, match=r"unknown programming language 'pyton'\. Did you mean python"):
        units_of("a.py", b"", "pyton")
    assert units_of("script", b"def f(): ...", "python")[0].id == "code:script::f"


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.corpus.code.search._grammars", {})
    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)
    with pytest.raises(MissingExtra, match=r"needs the package 'tree-sitter-go'. Install .*assay\[code\]"):
        units_of("a.go", b"package a")


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(NAMES), st.data())
def test_any_damage_leaves_unique_ids_and_texts_of_the_file(name: str, data: st.DataObject) -> None:
    source = bytearray((SAMPLES / name).read_bytes())
    for _ in range(data.draw(st.integers(0, 5))):
        at = data.draw(st.integers(0, len(source) - 1))
        source[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=4))
    units = units_of(name, bytes(source))
    assert len({unit.id for unit in units}) == len(units)
    assert all(1 <= unit.first_line <= unit.last_line for unit in units)
    assert all(unit.text.strip() for unit in units)


def spans(path: str, source: str) -> dict[str, tuple[int, int]]:
    return {
        unit.id.removeprefix(f"code:{path}::"): (unit.first_line, unit.last_line)
        for unit in units_of(path, source.encode())
    }


def test_each_of_a_group_has_its_own_lines() -> None:
    group = "package a\n\nvar (\n\t// ErrX is one.\n\tErrX = 1\n\tErrY = 2\n)\n"
    assert spans("a.go", group) == {"ErrX": (4, 5), "ErrY": (6, 6)}
    # A group of one is that one.
    assert spans("a.go", "package a\n\nvar (\n\tErrX = 1\n)\n") == {"ErrX": (3, 5)}


def test_type_parameters_are_no_part_of_an_alias() -> None:
    assert names("a.py", "type Pair[K] = tuple[K, K]\ntype Plain = int\n") == ["Pair", "Plain"]


def test_methods_of_enum_constants_are_told_apart() -> None:
    source = "enum E { X { void f() {} }, Y { void f() {} }, Z; void f() {} }"
    assert names("E.java", source) == ["E", "E::X", "E::X::f", "E::Y", "E::Y::f", "E::f"]


def test_a_constant_without_a_name_is_none() -> None:
    assert names("a.rs", "const _: () = check();\nconst SIZE: u8 = 1;\n") == ["module@1", "SIZE"]


@pytest.mark.parametrize(
    ("mark", "is_test"),
    [
        ("#[cfg(test)]", True),
        ("#[cfg(all(test, unix))]", True),
        ('#[cfg(all(feature = "x", test))]', True),
        ("#[tokio::test]", True),
        ("#[rstest]", True),
        ("#[cfg(not(test))]", False),
        ("#[cfg(all(unix, not(test)))]", False),
        ('#[cfg(feature = "test")]', False),
    ],
)
def test_marks_of_tests_in_rust(mark: str, is_test: bool) -> None:
    [unit] = units_of("a.rs", f"{mark}\nfn f() {{}}\n".encode())
    assert ("test" in unit.tags) is is_test


def test_an_export_belongs_to_what_it_exports_alone() -> None:
    source = "export default { data() { return 1; }, load() {} };\n/** d */\nexport const run = () => 1;\n"
    texts = {unit.symbol: unit.text for unit in units_of("a.ts", source.encode()) if unit.symbol}
    assert texts == {
        "data": "data() { return 1; }",
        "load": "load() {}",
        "run": "/** d */\nexport const run = () => 1;",
    }
    ambient = "declare global {\n  interface Window {}\n  interface Other {}\n}\n"
    assert [unit.text.strip() for unit in units_of("a.ts", ambient.encode()) if unit.symbol] == [
        "interface Window {}",
        "interface Other {}",
    ]


def test_constants_of_a_class_in_typescript() -> None:
    assert names("a.ts", "class A { static readonly MAX = 3; static count = 1; readonly name = 2; }") == ["A", "A::MAX"]


def test_a_macro_before_the_name_of_a_class() -> None:
    source = (
        "#pragma once\nclass API_EXPORT Foo final : public Bar {\n  void get() {}\n};\n"
        "template <class T>\nstruct EXPORT(x) Box {\n  T item() { return T(); }\n};\n"
        "struct POINT { int x; };\nclass HTTP Server;\n"
    )
    found = extract("a.hpp", source.encode())
    kinds = [(unit.kind, unit.symbol) for unit in found.units if unit.symbol]
    assert kinds == [
        ("class", "Foo"),
        ("method", "Foo::get"),
        ("struct", "Box"),
        ("method", "Box::item"),
        ("struct", "POINT"),
    ]
    assert found.units[-5].text.startswith("class API_EXPORT Foo final : public Bar {")


def test_what_only_the_preprocessor_understands_does_not_break_a_header() -> None:
    source = (
        '#pragma once\n#ifdef __cplusplus\nextern "C" {\n#endif\n'
        "DECLARE_STACK_OF(item)\n"
        "/* Opens it. */\nint open_item(int a);\n"
        "#if defined(__cplusplus)\n}\n#endif\n"
    )
    found = extract("a.h", source.encode())
    assert found.broken_at is None
    assert [(unit.id, unit.first_line, unit.text) for unit in found.units] == [
        ("code:a.h::module@1", 1, "DECLARE_STACK_OF(item)"),
        ("code:a.h::open_item", 6, "/* Opens it. */\nint open_item(int a);"),
    ]
    # A test case is no such call.
    assert names("a.cpp", "TEST(Suite, Name)\n{\n  check();\n}\n") == ["TEST(Suite,Name)"]


def test_a_return_type_inside_a_macro() -> None:
    source = (
        "#pragma once\n/* Makes one. */\nPyAPI_FUNC(PyObject *) PyFoo_New(int a);\nPyAPI_FUNC(int) PyFoo_Check(void);\n"
    )
    units = {unit.symbol: unit.text for unit in units_of("a.h", source.encode())}
    assert units == {
        "PyFoo_New": "/* Makes one. */\nPyAPI_FUNC(PyObject *) PyFoo_New(int a);",
        "PyFoo_Check": "PyAPI_FUNC(int) PyFoo_Check(void);",
    }


def test_a_class_in_capitals_is_no_macro() -> None:
    inside = "class URL : QObject {\n  Q_OBJECT\npublic:\n  void open();\n  URL(int a) {}\n};\n"
    source = inside + "URL::URL() : x(1) {}\nURL::~URL() {}\n"
    assert names("a.cpp", source) == ["URL", "URL::open", "URL::URL(int a)", "URL::URL()", "URL::~URL"]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("void* operator new(size_t n) { return 0; }", ["operator new"]),
        ("void operator  delete[](void* p) noexcept;", ["operator delete[]"]),
        (
            "struct V { V operator +(const V& o) const; void* operator new(size_t n); };",
            ["V", "V::operator+", "V::operator new"],
        ),
        ("bool A::operator <(const A& o) const { return true; }", ["A::operator<"]),
    ],
)
def test_operators_that_are_words_are_two(source: str, names: list[str]) -> None:
    assert [unit.symbol for unit in units_of("a.cpp", source.encode())] == names


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("function f() {\n  let x: { a(); b(): void };\n}", ["f"]),
        ("function f() {\n  if (g) { let x: { b(): void }; }\n}", ["f"]),
        ("class A { m() { const x = (y: { b(): void }) => 1; } }", ["A", "A::m", "A::m::x"]),
        (
            "function f() {\n  type T = { a(); };\n  interface I { b(); }\n}",
            ["f", "f::T", "f::T::a", "f::I", "f::I::b"],
        ),
        ("let x: { a(); b(): void };", ["x", "x::a", "x::b"]),
        ("class A { m(): { a(); } { } }", ["A", "A::m", "A::m::a"]),
        ("declare global { interface W { a(): void } function g(): void; }", ["W", "W::a", "g"]),
        ("namespace N { interface I { a(); } }", ["N", "N::I", "N::I::a"]),
    ],
)
def test_signatures_of_types_without_a_name(source: str, names: list[str]) -> None:
    """Inside a function nobody can ask for them."""
    assert [unit.symbol for unit in units_of("a.ts", source.encode())] == names
