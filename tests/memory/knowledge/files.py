"""Files for the loaders, made when they are needed."""

from __future__ import annotations

from io import BytesIO

from docx.document import Document


def docx_bytes(document: Document) -> bytes:
    written = BytesIO()
    document.save(written)
    return written.getvalue()


def pdf_bytes(*pages: str) -> bytes:
    """A PDF with a line of text on each page."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, page in enumerate(pages):
        shown = f"BT /F1 12 Tf 72 720 Td ({page}) Tj ET"
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * at} 0 R >>",
            f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream",
        ]
    return _file_of(objects)


def _file_of(objects: list[str]) -> bytes:
    text, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(text)}\n%%EOF\n"
    return f"{text}xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode()
