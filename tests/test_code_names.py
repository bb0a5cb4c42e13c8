"""Several names on the same lines: each has a unit and an id of its own, with the same text."""

from __future__ import annotations

import pytest

from assay.corpus.code import units_of

TOGETHER = [
    ("a.go", "package a\n\n// Doc.\nvar y, z int\n", "// Doc.\nvar y, z int", {"y": "constant", "z": "constant"}),
    (
        "a.go",
        "package a\n\nconst (\n\tA, B = 1, 2\n)\n",
        "const (\n\tA, B = 1, 2\n)",
        {"A": "constant", "B": "constant"},
    ),
    ("a.go", "package a\n\nvar _, kept = f()\n", "var _, kept = f()", {"kept": "constant"}),
    ("a.go", "package a\n\nconst (A = 1; B = 2)\n", "const (A = 1; B = 2)", {"A": "constant", "B": "constant"}),
    (
        "A.java",
        "class A {\n    /** Bounds. */\n    static final int MAX = 5, MIN = 1;\n}",
        "    /** Bounds. */\n    static final int MAX = 5, MIN = 1;",
        {"A::MAX": "constant", "A::MIN": "constant"},
    ),
    ("I.java", "interface I { int A = 1, B = 2; }", "int A = 1, B = 2;", {"I::A": "constant", "I::B": "constant"}),
    ("a.c", "/* Both. */\nint a, b;", "/* Both. */\nint a, b;", {"a": "variable", "b": "variable"}),
    ("a.c", "int a = 1, *b;", "int a = 1, *b;", {"a": "constant", "b": "constant"}),
    ("a.c", "void a(), *b(int x);", "void a(), *b(int x);", {"a": "function", "b": "function"}),
    ("a.c", "int n = 1, f(void);", "int n = 1, f(void);", {"n": "constant", "f": "function"}),
    ("a.c", "typedef struct { int x; } P, *Q;", "typedef struct { int x; } P, *Q;", {"P": "struct", "Q": "type"}),
    ("a.cpp", "int a, b;", "int a, b;", {"a": "variable", "b": "variable"}),
    ("a.cpp", "struct S { void a(), b(); };", "void a(), b();", {"S::a": "method", "S::b": "method"}),
    (
        "a.cpp",
        "struct S { static const int x = 1, y = 2; };",
        "static const int x = 1, y = 2;",
        {"S::x": "constant", "S::y": "constant"},
    ),
    ("a.cpp", "int A::n = 3, A::m = 2;", "int A::n = 3, A::m = 2;", {"A::n": "constant", "A::m": "constant"}),
    (
        "a.js",
        "/** Limits. */\nconst a = 1, b = () => 2;",
        "/** Limits. */\nconst a = 1, b = () => 2;",
        {"a": "constant", "b": "function"},
    ),
    ("a.js", "exports.e = exports.f = () => 1", "exports.e = exports.f = () => 1", {"e": "function", "f": "function"}),
    (
        "a.js",
        "/** G. */\nvar g = exports.h = class {};",
        "/** G. */\nvar g = exports.h = class {};",
        {"g": "class", "h": "class"},
    ),
    ("a.js", "module.exports = exports.z = class {}", "module.exports = exports.z = class {}", {"z": "class"}),
    (
        "a.ts",
        "export const { a, b: [c], d = 1, ...rest } = all;",
        "export const { a, b: [c], d = 1, ...rest } = all;",
        {"a": "constant", "c": "constant", "d": "constant", "rest": "constant"},
    ),
    (
        "a.ts",
        "export declare const a: number, b: string;",
        "export declare const a: number, b: string;",
        {"a": "constant", "b": "constant"},
    ),
    ("a.py", "# Both.\nA = B = 1", "# Both.\nA = B = 1", {"A": "constant", "B": "constant"}),
    ("a.py", "A, (B, *C) = f()", "A, (B, *C) = f()", {"A": "constant", "B": "constant", "C": "constant"}),
    ("a.py", "x, Y = 1, 2", "x, Y = 1, 2", {"Y": "constant"}),
]


@pytest.mark.parametrize(("path", "source", "text", "kinds"), TOGETHER)
def test_each_name_has_a_unit(path: str, source: str, text: str, kinds: dict[str, str]) -> None:
    units = {unit.id.removeprefix(f"code:{path}::"): unit for unit in units_of(path, source.encode())}
    assert {name: units[name].kind for name in kinds} == kinds
    assert {units[name].text for name in kinds} == {text}
    assert all(units[name].symbol == name for name in kinds)
    # Nothing else but what is around them.
    around = {name.rpartition("::")[0] for name in kinds} - {""}
    assert units.keys() == kinds.keys() | (around & units.keys())
    moved = units_of(path, f"\n\n{source}".encode()) if path != "a.go" else units_of(path, source.encode())
    assert [unit.id for unit in moved] == [unit.id for unit in units.values()]


def test_on_several_lines_each_has_its_own() -> None:
    source = "const a = 1,\n  run = () => {\n    return a;\n  };\nexport let c = 3,\n  d = 4;\n"
    texts = {unit.symbol: unit.text.strip() for unit in units_of("a.ts", source.encode()) if unit.symbol}
    assert texts == {"a": "a = 1", "run": "run = () => {\n    return a;\n  }", "c": "c = 3", "d": "d = 4"}


def test_the_second_of_two_prototypes_is_told_from_its_definition_by_its_own_parameters() -> None:
    source = b"void f(int a), g(long b);\nvoid g(long b) {}\n"
    assert [unit.id for unit in units_of("a.c", source)] == ["code:a.c::f", "code:a.c::g(long b)", "code:a.c::g"]


def test_what_is_required_is_defined_elsewhere() -> None:
    source = b'const { a } = require("x"), b = require("y").z.q, c = wrap(require("z"));'
    assert [unit.symbol for unit in units_of("a.js", source) if unit.symbol] == ["c"]


def test_a_method_outside_its_class_is_one_and_a_function_of_a_namespace_is_not() -> None:
    source = (
        "namespace outer::inner { void f(); class A { void b(); }; }\n"
        "void outer::inner::f() {}\nvoid outer::g() {}\nvoid outer::inner::A::b() {}\nint B<T>::c() { return 1; }\n"
        "namespace outer { void inner::h() {} void C::d() {} }\n"
    )
    kinds = {unit.id.removeprefix("code:a.cpp::"): unit.kind for unit in units_of("a.cpp", source.encode())}
    assert kinds == {
        "outer::inner": "module",
        "outer::inner::f()": "function",
        "outer::inner::A": "class",
        "outer::inner::A::b()": "method",
        "outer::inner::f": "function",
        "outer::g": "function",
        "outer::inner::A::b": "method",
        "B::c": "method",
        "outer": "module",
        "outer::inner::h": "function",
        "outer::C::d": "method",
    }


def test_local_variables_are_nobodys_business_wherever_they_stand() -> None:
    source = b"void f(void) {\n#ifdef X\n  int a = 1, b;\n#define LIMIT 3\n#endif\n}\n"
    assert [unit.symbol for unit in units_of("a.c", source)] == ["f", "f::LIMIT"]


def test_what_only_a_macro_makes_a_declaration_is_no_variable() -> None:
    source = b"typedef int GLenum;\nGL_API GLenum GL_ENTRY glGetError (void);\nclass EXPORT Later;\n"
    assert [unit.symbol for unit in units_of("a.hpp", source) if unit.symbol] == ["GLenum", "glGetError"]


LEADS = [
    # A comment that holds the sign of a comment.
    ("a.ts", "/**\n * Reads src/*.ts, but not a/* b.\n */\nfunction f() {}", 1),
    # A comment inside the arguments of a decorator does not part it from its method.
    ("a.ts", "class A {\n  // Doc.\n  @log(/* loud */ 1)\n  f() {}\n}", 2),
    # Behind other code a comment belongs to that.
    ("a.c", "int x = 1; /* of x\n still of x */\nint f(void) { return 1; }", 3),
    ("a.rs", "struct A; // of A\n// Doc.\nfn f() {}", 2),
    ("a.rs", "// Doc.\n#[inline] // why\n#[must_use]\nfn f() {}", 1),
    ("a.rs", "//! Of the file.\n/// Doc.\n/// More.\nfn f() {}", 2),
    ("a.rs", "/* One. */ /* Two. */ fn f() {}", 1),
    ("a.rs", "/*! Of the file. */\nfn f() {}", 2),
    ("A.java", "class A {\n  // One.\n  /* Two. */\n  void f() {}\n}", 2),
    ("a.py", "# One.\n# Two.\n@wrap\n# Three.\ndef f(): ...", 1),
    ("a.py", "# Far.\n\n# Near.\ndef f(): ...", 3),
    ("a.go", "package a\n\n/*\nDoc.\n*/\nfunc f() {}", 3),
    ("a.go", "package a\n// Doc.\nfunc f() {}", 2),
]


@pytest.mark.parametrize(("path", "source", "line"), LEADS)
def test_where_a_unit_begins(path: str, source: str, line: int) -> None:
    [unit] = [unit for unit in units_of(path, source.encode()) if (unit.symbol or "").endswith("f")]
    assert unit.first_line == line
    assert unit.text.strip() == "\n".join(source.splitlines()[line - 1 : unit.last_line]).strip()


def test_many_units_on_one_endless_line() -> None:
    source = b"x;" + b"function f(){return 1}" * 3000
    units = units_of("a.js", source)
    assert len(units) == 3000
    assert units[-1].text == "function f(){return 1}"


PLACES = [
    ("a.js", "var s = exports.t = 5;", {"s": "constant", "t": "constant"}),
    ("a.js", "class A { f = () => 1; static g = function() {}; }", {"A": "class", "A::f": "method", "A::g": "method"}),
    ("a.js", "export default { a() {}, b: () => 1 };", {"a": "function", "b": "function"}),
    (
        "a.js",
        "run(1, function () { function a() {} });\nrun(x => { const b = y => y; });",
        {"a": "function", "b": "function"},
    ),
    ("a.js", "if (x) {\n  use({ a(b) { return b; } });\n}", {"a": "function"}),
    (
        "a.js",
        "function f() {\n  const g = state.g = () => 1;\n}",
        {"f": "function", "f::g": "function", "f::state::g": "function"},
    ),
    ("a.ts", "namespace A { export { b };\n namespace C { const d: number; } }", {"A": "module", "A::C": "module"}),
    ("a.ts", 'declare module "x" { interface I { m(); } }', {"x": "module", "x::I": "interface", "x::I::m": "method"}),
    ("a.ts", "type T = { a(): void; b() };", {"T": "type", "T::a": "function", "T::b": "function"}),
    ("a.c", "int add(a, b) int a; int b; { return a + b; }", {"add": "function"}),
    ("a.c", "typedef int (*handler)(int, char *);", {"handler": "type"}),
    ("a.c", "int (*cb)(int);\nvoid (*on(int s, void (*f)(int)))(int);", {"cb": "variable", "on": "function"}),
    (
        "a.c",
        "int *find(int a) {\n  struct seen { int b; } c;\n  if (a) { return 0; }\n}",
        {"find": "function", "find::seen": "struct"},
    ),
    ("a.cpp", 'extern "C" int f(void);\nextern "C" { int g(void); }', {"f": "function", "g": "function"}),
    ("a.cpp", "class A { void (*cb)(int); void m(int); };", {"A": "class", "A::m": "method"}),
    (
        "a.cpp",
        "namespace a::b { namespace c { void f() {} } }",
        {"a::b": "module", "a::b::c": "module", "a::b::c::f": "function"},
    ),
    ("a.py", "def f(a):\n    type(a).b = 1\n    class C: ...", {"f": "function", "f::C": "class"}),
    ("a.go", "package a\nfunc f() {\n\ttype t int\n}", {"f": "function", "f::t": "type"}),
    ("a.rs", "fn f() {\n    struct A;\n    fn g() {}\n}", {"f": "function", "f::A": "struct", "f::g": "function"}),
    (
        "A.java",
        "class A { void f() { run(new B() {\n  void g() {}\n}); } }",
        {"A": "class", "A::f": "method", "A::f::g": "method"},
    ),
]


@pytest.mark.parametrize(("path", "source", "expected"), PLACES)
def test_units_in_all_places(path: str, source: str, expected: dict[str, str]) -> None:
    found = {unit.symbol: unit.kind for unit in units_of(path, source.encode()) if unit.symbol}
    assert found == expected


def test_a_comment_with_white_space_behind_it_belongs_to_its_unit() -> None:
    (unit,) = units_of("a.js", b"// What it is for \nfunction f() {}\n")
    assert unit.text == "// What it is for \nfunction f() {}"
