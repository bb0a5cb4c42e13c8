"""What a search in code must find, in every language: a symbol, the parts of its name in either style, a phrase of a
doc comment, a unit by its path, and the right one of two methods of one name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay.config import Config
from assay.corpus.build import BuildOptions, build
from assay.corpus.index import Index
from assay.corpus.scan import Sources
from assay.records import Ranking
from assay.retrievers.protocol import Query, Request
from assay.retrievers.variants import build as retriever

FILES = {
    "py/ledger.py": '''
class OpenInvoice:
    def settle(self): return 1
class PaidRefund:
    def settle(self): return 2
def round_half_even(amount):
    """Banker's rounding of a sum."""
def parseIsoDate(text): return text
''',
    "rs/ledger.rs": """
struct OpenInvoice; struct PaidRefund;
impl OpenInvoice { fn settle(&self) -> i32 { 1 } }
impl PaidRefund { fn settle(&self) -> i32 { 2 } }
/// Banker's rounding of a sum.
fn round_half_even(amount: i32) -> i32 { amount }
fn parseIsoDate(text: &str) {}
""",
    "ts/ledger.ts": """
class OpenInvoice { settle(): number { return 1; } }
class PaidRefund { settle(): number { return 2; } }
/** Banker's rounding of a sum. */
export function round_half_even(amount: number) { return amount; }
export const parseIsoDate = (text: string) => text;
""",
    "js/ledger.js": """
class OpenInvoice { settle() { return 1; } }
class PaidRefund { settle() { return 2; } }
/** Banker's rounding of a sum. */
function round_half_even(amount) { return amount; }
exports.parseIsoDate = function (text) { return text; };
""",
    "go/ledger.go": """package ledger
type OpenInvoice struct{}
type PaidRefund struct{}
func (o *OpenInvoice) settle() int { return 1 }
func (p *PaidRefund) settle() int { return 2 }
// Banker's rounding of a sum.
func round_half_even(amount int) int { return amount }
func parseIsoDate(text string) {}
""",
    "java/Ledger.java": """
class OpenInvoice { int settle() { return 1; } }
class PaidRefund { int settle() { return 2; } }
class Ledger {
    /** Banker's rounding of a sum. */
    static int round_half_even(int amount) { return amount; }
    void parseIsoDate(String text) {}
}
""",
    "c/ledger.c": """
struct open_invoice { int a; };
/* Banker's rounding of a sum. */
int round_half_even(int amount) { return amount; }
void parseIsoDate(const char *text) {}
""",
    "cpp/ledger.cpp": """
class OpenInvoice { int settle(); };
class PaidRefund { int settle(); };
int OpenInvoice::settle() { return 1; }
int PaidRefund::settle() { return 2; }
/// Banker's rounding of a sum.
int round_half_even(int amount) { return amount; }
void parseIsoDate(const char *text) {}
""",
}
OWNER = {"java/Ledger.java": "Ledger::"}
QUERIES = {
    "an exact symbol": ("round_half_even", "round_half_even"),
    "in the other style": ("roundHalfEven", "round_half_even"),
    "parts of snake case": ("half even round", "round_half_even"),
    "an exact symbol in camel case": ("parseIsoDate", "parseIsoDate"),
    "parts of camel case": ("iso date parse", "parseIsoDate"),
    "a phrase of a doc comment": ("banker's rounding of a sum", "round_half_even"),
}
METHODS = ("OpenInvoice settle", "PaidRefund::settle", "paidRefund.settle")


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Index]]:
    """An index of each language by itself."""
    root = tmp_path_factory.mktemp("found")
    indexes = {}
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
        build(Sources(code=(path,)), root / f"{path.suffix[1:]}.db", BuildOptions())
        indexes[name] = Index.open(root / f"{path.suffix[1:]}.db")
    build(Sources(code=(root,)), root / "all.db", BuildOptions())
    indexes["all"] = Index.open(root / "all.db")
    yield indexes
    for index in indexes.values():
        index.close()


def first(index: Index, query: str) -> str:
    (found,) = retriever("bm25", Config(), index).search([Query("q", query)], Request(k=3, lane="code"))
    assert isinstance(found, Ranking)
    return found.ids[0].partition("::")[2]


@pytest.mark.parametrize("case", QUERIES)
@pytest.mark.parametrize("name", FILES)
def test_a_name_or_a_phrase(alone: dict[str, Index], name: str, case: str) -> None:
    query, symbol = QUERIES[case]
    assert first(alone[name], query) == f"{OWNER.get(name, '')}{symbol}"


@pytest.mark.parametrize("query", METHODS)
@pytest.mark.parametrize("name", sorted(FILES.keys() - {"c/ledger.c"}))
def test_the_right_one_of_two_methods_of_one_name(alone: dict[str, Index], name: str, query: str) -> None:
    owner = "OpenInvoice" if query.startswith("Open") else "PaidRefund"
    # In C++ the declaration in the class is a unit too.
    assert first(alone[name], query).removesuffix("()") == f"{owner}::settle"


@pytest.mark.parametrize("name", FILES)
def test_a_unit_by_its_path(alone: dict[str, Index], name: str) -> None:
    request = Request(k=1, lane="code")
    (found,) = retriever("bm25", Config(), alone["all"]).search([Query("q", f"{name} round_half_even")], request)
    assert isinstance(found, Ranking)
    assert found.ids == (f"code:{name}::{OWNER.get(name, '')}round_half_even",)
