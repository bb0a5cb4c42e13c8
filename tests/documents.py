"""Small real documents for tests."""

from __future__ import annotations

from collections.abc import Sequence


def pdf_bytes(pages: Sequence[Sequence[str]], *, trailer: str = "") -> bytes:
    """A plain PDF: one font, the lines of each page below each other."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
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
    tail = f"trailer << /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{len(body)}\n%%EOF\n"
    return f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}{tail}".encode("latin-1")


def encrypted_pdf_bytes() -> bytes:
    """A PDF that opens with no password we have: its check values fit none."""
    secret = "00" * 32
    return pdf_bytes(
        [["hidden"]],
        trailer=f"/Encrypt << /Filter /Standard /V 1 /R 2 /O <{secret}> /U <{secret}> /P -4 >> /ID [<00> <00>]",
    )


def sentences(count: int, topic: str = "boat") -> str:
    """English text of about eleven tokens a sentence, each sentence unlike the others."""
    return " ".join(f"The {topic} number {n} is at the quay with its crew." for n in range(count))
