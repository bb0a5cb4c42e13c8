"""Indexing against the reader and the embedder called directly on the same documents, whole processes.

    python benchmarks/indexing.py [--documents 1000] [--repeat 3]

`direct` is what anybody would write without us: pypdfium2 or open(), windows of 450 words, the wordllama package.
Goals: index / direct at most 1.3; a second index of the same documents at most 2 % of the first. Exits with 1 beyond.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOAL, AGAIN_GOAL = 1.3, 0.02
DIRECT = """
import sys
from importlib.util import find_spec
from pathlib import Path
import pypdfium2
from wordllama import WordLlama

def read(path):
    if path.suffix == ".pdf":
        with pypdfium2.PdfDocument(path) as document:
            return "\\n".join(page.get_textpage().get_text_range() for page in document)
    return path.read_text("utf-8")

chunks = []
for path in sorted(Path(sys.argv[1]).iterdir()):
    words = read(path).split()
    chunks += [" ".join(words[start : start + 450]) for start in range(0, max(1, len(words) - 68), 450 - 68)]
folder = Path(find_spec("wordllama").submodule_search_locations[0])
model = WordLlama.load(cache_dir=folder, disable_download=True)
print(len(chunks), model.embed(chunks, norm=True).shape)
"""
OURS = "import sys; from assay.cli.main import main; sys.exit(main(sys.argv[1:]))"
SYLLABLES = (
    "an",
    "ba",
    "cor",
    "del",
    "en",
    "fi",
    "gra",
    "hol",
    "ist",
    "ka",
    "lo",
    "mer",
    "nat",
    "pel",
    "ros",
    "ter",
    "val",
)
SMALL_WORDS = ("the", "of", "and", "to", "in", "is", "that", "for", "it", "with", "as", "was", "on", "are", "be", "by")


def vocabulary(size: int, chance: random.Random) -> list[str]:
    return ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(size)]


def page(words: list[str], weights: list[float], chance: random.Random) -> list[str]:
    """Some 40 lines of sentences; half of the words are small ones, the others as rare as in real text."""
    lines = []
    for _ in range(40):
        rare = chance.choices(words, cum_weights=weights, k=5)
        line = " ".join(word for pair in zip(rare, chance.choices(SMALL_WORDS, k=5), strict=True) for word in pair)
        lines.append(line.capitalize() + ".")
    return lines


def pdf(pages: list[list[str]]) -> bytes:
    """A plain PDF: one font, one text object a page."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        text = "BT /F1 10 Tf 50 800 Td 14 TL " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(text)} >>\nstream\n{text}\nendstream")
    body, offsets = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    tail = f"trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}{tail}".encode("ascii")


def write_corpus(folder: Path, documents: int) -> None:
    """Two thirds text, one third PDF, 12 pages each."""
    chance = random.Random(7)
    words = vocabulary(40_000, chance)
    weights, total = [], 0.0
    for rank in range(len(words)):
        total += 1 / (rank + 3)
        weights.append(total)
    for number in range(documents):
        pages = [page(words, weights, chance) for _ in range(12)]
        if number % 3 == 0:
            (folder / f"document-{number:04d}.pdf").write_bytes(pdf(pages))
        else:
            text = "\f".join("\n".join(lines) for lines in pages)
            (folder / f"document-{number:04d}.txt").write_text(text, encoding="utf-8")


def seconds(code: str, *arguments: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, index = Path(name, "documents"), Path(name, "corpus.db")
        folder.mkdir()
        write_corpus(folder, arguments.documents)
        size = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
        print(f"{arguments.documents} documents, {12 * arguments.documents} pages, {size:.1f} MB")
        ours = ("index", str(folder), "--out", str(index), "--quiet")
        direct, first, second = [], [], []
        for _ in range(arguments.repeat):
            index.unlink(missing_ok=True)
            direct.append(seconds(DIRECT, str(folder)))
            first.append(seconds(OURS, *ours))
            second.append(seconds(OURS, *ours))
    plain, made, again = (statistics.median(times) for times in (direct, first, second))
    print(f"direct        {plain:7.2f} s")
    told = f"index         {made:7.2f} s   {made / plain:.2f} x direct"
    told_again = f"index again   {again:7.2f} s   {100 * again / made:.1f} % of the first"
    print(f"{told}   (goal: at most {GOAL:g}){'' if made <= GOAL * plain else ' MISSED'}")
    print(f"{told_again}   (goal: at most {100 * AGAIN_GOAL:g} %){'' if again <= AGAIN_GOAL * made else ' MISSED'}")
    return 0 if made <= GOAL * plain and again <= AGAIN_GOAL * made else 1


if __name__ == "__main__":
    sys.exit(main())
