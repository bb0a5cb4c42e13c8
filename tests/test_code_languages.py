"""Every unit of a small file in each language, against a list written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.corpus.code import Unit, extract, units_of

SAMPLES = Path(__file__).parent / "code_samples"

EXPECTED = {
    "retry.py": """
        module module@1 1-71
        constant MAX_ATTEMPTS 9
        constant timeout 10
        function delay 14-22
        function delay::jitter 19-20
        function parse(value:int) 25-26 declaration
        function parse(value:str) 27-28 declaration
        function parse 29-30
        class Policy 33-49
        class Policy::Fault 36-37
        method Policy::limit 39-41
        method Policy::limit(self,value:int) 43-45 declaration
        method Policy::wait 47-49
        function when() 54-55
        function when()#2 58-59
        function retrying 62-71
        class retrying::Again 67-69
        method retrying::Again::once 68-69
    """,
    "store.rs": """
        module module@1 1-73
        constant LIMIT 5-6
        constant NAME 7
        type Pair 8
        struct Point 10-14
        enum Shape 16-19
        trait Area 21-28
        constant Area::SIDES 22
        method Area::area 23-24 declaration
        method Area::double 25-27
        impl impl Point<T> 30-39
        constant Point::ORIGIN 31
        method Point::new 33-38
        function Point::new::check 35
        impl impl fmt::Display for Point<i32> 41-45
        method impl fmt::Display for Point<i32>::fmt 42-44
        impl impl fmt::Debug for Shape 47-51
        method impl fmt::Debug for Shape::fmt 48-50
        macro point! 53-57
        module inner 59-61
        function inner::helper 60
        function abs 66 declaration
        module tests 69-73 test
        function tests::makes_one 71-72 test
    """,
    "client.ts": """
        module module@1 1-72
        constant ENDPOINT 3-4
        constant a 5
        constant b 6
        interface Options 8-11
        method Options::retry 10 declaration
        type Handler 13
        type Options2 14
        enum Level 16-19
        class Client 21-43
        method Client::onError 25-27
        method Client::constructor 29-31
        method Client::url 33-35
        method Client::fetchSpec 37-42
        function Client::fetchSpec::inner 40
        class Shape 45-47
        method Shape::area 46 declaration
        function parse(value:string) 49 declaration
        function parse(value:number) 50 declaration
        function parse 51-53
        function format 55
        module Tools::Text 57-61
        function Tools::Text::trim 58-60
        function shown 65-67
        function default 70-72
    """,
    "legacy.js": """
        module module@1 1-42
        function Queue 5-10
        method Queue::push 12-14
        function drain 16-18
        constant api 20-28
        function api::get 21-23
        function api::post 24-26
        class Worker 30-36
        method Worker::handle 32
        method Worker::steps 33-35
        class Lazy 38-40
        method Lazy::load 39
        function close 42
    """,
    "server.go": """
        module module@1 1-44
        constant Limit 6-7
        constant StateIdle 10-11
        constant StateBusy 12
        constant defaultName 15-17
        struct Server 21-24
        interface Handler 27-30
        method Handler::Handle 29 declaration
        type Names 31
        struct Stack 34
        method Server::Start 36-40
        struct Server::Start::local 38
        method Stack::Push 42
        function New 44
    """,
    "Account.java": """
        class Account 5-48
        constant Account::LIMIT 8-9
        method Account::Account 12-14
        method Account::draw(int amount) 16-20
        method Account::draw(int amount,String reason) 22-23
        enum Account::State 25
        class Account::State::CLOSED 25
        method Account::State::CLOSED::reopen 25
        class Account::Entry 27-30
        method Account::Entry::Entry 28-29
        interface Account::Listener 32-35
        constant Account::Listener::PRIORITY 33
        method Account::Listener::changed 34 declaration
        interface Account::Audited 37-39
        method Account::Audited::by 38 declaration
        class Account::Nested 41-47
        method Account::Nested::draw 42-46
        class Account::Nested::draw::Local 43-45
        method Account::Nested::draw::Local::run 44
    """,
    "buffer.h": """
        constant BUFFER_SIZE 7
        macro MAX 8
        struct buffer_t 10-14
        struct node 16-22
        enum colour 24
        type compare_fn 26
        function buffer_grow 32-33 declaration
        function buffer_text 34 declaration
        constant buffer_version 35
    """,
    "buffer.c": """
        constant buffer_version 3
        constant grown 4
        variable counter 5 declaration
        function round_up(size_t wanted) 7 declaration
        function buffer_grow 9-12
        function buffer_text 14
        function round_up 16-19
    """,
    "shapes.cpp": """
        module module@1 1-55
        module geometry::flat 4-33
        constant geometry::flat::kPi 6
        class geometry::flat::Shape 8-19
        method geometry::flat::Shape::Shape 11 declaration
        method geometry::flat::Shape::~Shape 12 declaration
        method geometry::flat::Shape::area 13 declaration
        method geometry::flat::Shape::operator== 14
        constant geometry::flat::Shape::kSides 15
        struct geometry::flat::Stack 21-25
        method geometry::flat::Stack::push 23 declaration
        method geometry::flat::Stack::size 24
        enum geometry::flat::Colour 27
        type geometry::flat::Name 28
        function geometry::flat::area(double radius) 30
        function geometry::flat::area(double width,double height) 31
        function hidden 36
        method Shape::Shape 41
        method Shape::~Shape 43-45
        method Stack::push 47-49
        enum enum@51 51
        function TEST(ShapeTest,HasArea) 53-55 test
    """,
}
LANGUAGES = {".py": "python", ".rs": "rust", ".ts": "typescript", ".js": "javascript", ".go": "go", ".java": "java"}
LANGUAGES |= {".h": "c", ".c": "c", ".cpp": "cpp"}


def cut(name: str) -> list[Unit]:
    return units_of(name, (SAMPLES / name).read_bytes())


def shown(unit: Unit, path: str) -> str:
    lines = f"{unit.first_line}-{unit.last_line}" if unit.last_line > unit.first_line else str(unit.first_line)
    return " ".join([unit.kind, unit.id.removeprefix(f"code:{path}::"), lines, *unit.tags])


@pytest.mark.parametrize("name", EXPECTED)
def test_every_unit_and_nothing_else(name: str) -> None:
    expected = [line.strip() for line in EXPECTED[name].strip().splitlines()]
    assert [shown(unit, name) for unit in cut(name)] == expected
    assert {unit.language for unit in cut(name)} == {LANGUAGES[Path(name).suffix]}


def test_every_sample_is_listed() -> None:
    assert {path.name for path in SAMPLES.iterdir() if path.is_file()} == EXPECTED.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_a_text_is_the_lines_of_the_file(name: str) -> None:
    lines = (SAMPLES / name).read_text("utf-8").splitlines()
    for unit in cut(name):
        if unit.symbol:
            whole = "\n".join(lines[unit.first_line - 1 : unit.last_line])
            assert unit.text.strip() in whole


HEADS = {
    ("retry.py", "delay"): ("# How long to wait.\n# Grows with every attempt.\ndef delay", "jitter()"),
    ("retry.py", "Policy::wait"): ("    @staticmethod\n    async def wait", "del seconds"),
    ("store.rs", "Point"): ("/// A place.\n#[derive(Debug, Clone)]\npub struct Point<T> {", "}"),
    ("store.rs", "tests::makes_one"): ("    #[test]\n    fn makes_one", "{}"),
    ("client.ts", "Client"): ("/** Speaks to the service. */\n@Injectable()\nexport class Client", "}"),
    ("client.ts", "Client::fetchSpec"): ("  @Log()\n  async fetchSpec", "}"),
    ("client.ts", "ENDPOINT"): ('/** Where the service is. */\nexport const ENDPOINT = "https', ";"),
    ("legacy.js", "Queue"): ("/**\n * A queue of jobs.\n */\nfunction Queue", "}"),
    ("server.go", "Limit"): ("// Limit is how many at once.\nconst Limit = 10", "10"),
    ("server.go", "Server::Start"): ("// Start starts it.\nfunc (s *Server)", "}"),
    ("Account.java", "Account"): ("/** Money of one owner. */\n@Entity\npublic class Account", "}"),
    ("Account.java", "Account::draw(int amount)"): ("    /** Takes money out. */\n    @Override\n", "}"),
    ("buffer.h", "buffer_t"): ("/* A run of bytes. */\ntypedef struct buffer {", "buffer_t;"),
    ("shapes.cpp", "geometry::flat::Stack"): ("template <typename T>\nstruct Stack {", "};"),
    ("shapes.cpp", "Stack::push"): ("template <typename T>\nvoid Stack<T>::push", "}"),
}


@pytest.mark.parametrize(("name", "symbol"), HEADS)
def test_doc_comments_and_decorators_belong_to_their_unit(name: str, symbol: str) -> None:
    units = {unit.id: unit for unit in cut(name)}
    start, end = HEADS[name, symbol]
    text = units[f"code:{name}::{symbol}"].text
    assert text.startswith(start)
    assert text.endswith(end)


def test_the_module_is_what_stands_outside_the_units() -> None:
    python = cut("retry.py")[0]
    assert python.text.startswith('"""Retries with growing delays')
    assert "_cache = {}" in python.text
    assert "import random" not in python.text
    assert "def delay" not in python.text
    assert cut("store.rs")[0].text.startswith("//! A store of points.")
    # The header's licence and its guards say nothing.
    assert cut("buffer.h")[0].symbol == "BUFFER_SIZE"


def test_a_header_is_read_as_what_it_looks_like() -> None:
    assert extract("a.h", b"struct a { int x; };").language == "c"
    assert extract("a.h", b"namespace n { class A {}; }").language == "cpp"
    assert extract("a.tsx", b"const A = () => <b>{x as string}</b>;").broken_at is None
    assert extract("a.jsx", b"const A = () => <b>{x}</b>;").broken_at is None
