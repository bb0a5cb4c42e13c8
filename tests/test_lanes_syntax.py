"""Units compared by their syntax: layout, comments and documentation do not count, in any language."""

from __future__ import annotations

import pytest

from assay.lanes.mining.units import Version, changed_units

SAME = [
    ("a.py", "def f(a, b):\n    return 'x'\n", 'def f(\n    a,\n    b,\n):\n    return "x"  # why\n'),
    (
        "a.py",
        "class A:\n    def f(self):\n        return 1\n",
        "class A:\n    # why\n    def f(self):\n\n        return (1)\n",
    ),
    ("a.py", 'def f():\n    """Old."""\n    g()\n', 'def f():\n    """\n    New.\n    """\n    g()\n'),
    ("a.py", "def f():\n    return a, b\n", "def f():\n    return (\n        a,\n        b,\n    )\n"),
    ("a.py", "def f():\n    x = a + \\\n        b\n", "def f():\n    x = (\n        a + b\n    )\n"),
    ("a.py", "class A:\n    def f(self):\n        a()\n", "class A:\n    def f(self):\n        a()\n\n    # why\n"),
    ("a.py", "def f():\n    return 'it\\'s'\n", 'def f():\n    return "it\'s"\n'),
    ("a.py", "def f():\n    return f'{a}'\n", 'def f():\n    return f"{a}"\n'),
    ("a.py", "def f():\n    return '\\\\\\''\n", 'def f():\n    return "\\\\\'"\n'),
    ("a.py", "def f():\n    return 1.*.5E+3\n", "def f():\n    return 1.0 * 0.5e3\n"),
    ("a.py", "def f():\n    from a import b\n", "def f():\n    from a import (\n        b,\n    )\n"),
    (
        "a.py",
        "def f():\n    with a as b, d as e: c()\n",
        "def f():\n    with (\n        a as b,\n        d as e,\n    ):\n        c()\n",
    ),
    ("a.py", "def f():\r\n    return 1\r\n", "def f():\n    return 1\n"),
    ("a.rs", "fn f(a: u8) { g(a) }", "/// New.\nfn f(\n    a: u8, // why\n) {\n    /* how */\n    g(a)\n}"),
    (
        "a.rs",
        "fn f() { match a { 1 => { b() } 2 => c, } }",
        "fn f() {\n    match a {\n        1 => { b() },\n        2 => c\n    }\n}",
    ),
    ("a.go", "func f() {\n\tg(a, b)\n}", "// New.\nfunc f() {\n  g(\n    a,\n    b,\n  ) // why\n}"),
    ("a.ts", "const f = x => { return 'a' }", 'const f = (x) => {\n  return "a"; // why\n};'),
    ("a.ts", "interface A { a: string, b: number }", "interface A {\n  /** New. */\n  a: string;\n  b: number;\n}"),
    ("a.js", "function f() { return a(b, (c)) }", "function f() {\n  ;return a(\n    b,\n    c,\n  );\n}"),
    ("a.jsx", "const f = () => <p>one two</p>", "const f = () => (\n  <p>\n    one two\n  </p>\n);"),
    (
        "A.java",
        "class A { int f() { return 1; } }",
        "/** New. */\nclass A {\n  // why\n  int f() { /* how */ return (1); }\n}",
    ),
    ("a.c", "int f(int a) { return a; }", "/* new */\nint f(int a)\n{\n    return a; // why\n}"),
    ("a.c", "#define F(a) ((a) + 1)\n", "#define F(a)   ((a)  +  1)  /* why */\n"),
    ("a.cpp", "class A { int f() { return 1; } };", "class A {\n  // why\n  int f() { return 1; }\n};"),
]
OTHER = [
    ("a.py", "def f():\n    a()\n    b()\n", "def f():\n    a()\n\nb()\n", ["f"]),
    ("a.py", "def f():\n    return 1\n", "def f():\n    return 2\n", ["f"]),
    ("a.py", "def f():\n    return (1)\n", "def f():\n    return (1,)\n", ["f"]),
    ("a.py", "def f():\n    return a * (b + c)\n", "def f():\n    return a * b + c\n", ["f"]),
    ("a.py", "def f():\n    return 'a'\n", "def f():\n    return b'a'\n", ["f"]),
    ("a.py", "def f():\n    return r'\\'\n", "def f():\n    return r'\\\\'\n", ["f"]),
    ("a.py", "def f():\n    return 'a  b'\n", "def f():\n    return 'a b'\n", ["f"]),
    ("a.rs", "fn f() { a }", "fn f() { a; }", ["f"]),
    ("a.rs", "fn f() { (1) }", "fn f() { (1,) }", ["f"]),
    ("a.js", "function f() { return a }", "function f() { return; a }", ["f"]),
    ("a.js", "function f() { for (a;; b) c() }", "function f() { for (; a; b) c() }", ["f"]),
    ("a.js", "function f() { return '// a' }", "function f() { return '// b' }", ["f"]),
    ("a.js", "function f() { return `a  b` }", "function f() { return `a b` }", ["f"]),
    ("a.ts", "const f = (x) => x", "const f = (x, y) => x", ["f"]),
    ("a.go", "func f() { a(); b() }", "func f() { b(); a() }", ["f"]),
    ("A.java", "class A { int f() { return 1; } }", "class A { int f() { return 2; } }", ["A::f"]),
    ("a.c", "#define F 1\n", "#define F 2\n", ["F"]),
    ("a.cpp", "class A { int a; int f(); };", "class A { long a; int f(); };", ["A"]),
]


def changed(path: str, old: str, new: str) -> list[str | None]:
    before, after = (Version.read(path, text.encode()) for text in (old, new))
    assert [unit for unit in before.units if unit.symbol]
    return [unit.symbol for unit in changed_units(before, after)]


@pytest.mark.parametrize(("path", "old", "new"), SAME)
def test_layout_comments_and_documentation_are_no_change(path: str, old: str, new: str) -> None:
    assert changed(path, old, new) == []
    assert changed(path, new, old) == []


@pytest.mark.parametrize(("path", "old", "new", "expected"), OTHER)
def test_another_meaning_is_a_change(path: str, old: str, new: str, expected: list[str]) -> None:
    assert changed(path, old, new) == expected
    assert changed(path, new, old) == expected


def test_the_only_part_of_a_class_does_not_change_when_there_is_a_second() -> None:
    one, two = "class A:\n    def f(self): a()\n", "class A:\n    # why\n    def f(self): a( )\n    def g(self): b()\n"
    assert changed("a.py", one, two) == ["A"]
    assert changed("a.py", two, one) == ["A::g"]
