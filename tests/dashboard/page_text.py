# SPDX-License-Identifier: MIT
"""What a page of the dashboard shows against what the report says: tables cell by cell, as numbers and as the program's own text."""
import html
import re

SCALES = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "m": 1e-3}
PLAIN = {"%", "samples/s", "requests/s", "tokens/s", "sequences/s", "FLOP/byte"}  # never with a prefix
TIMES = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}

# Rows of every table, each cell with its text and what stands below it.
READ_TABLES = """[...document.querySelectorAll('.report table')].map(table => [...table.tBodies[0].rows].map(row => [...row.cells].map(cell => {
  const detail = cell.querySelector('small');
  return [[...cell.childNodes].filter(node => node !== detail).map(node => node.textContent).join(''), detail?.textContent ?? ''];
})))"""


def blocks_of(report):
    def walk(blocks):
        for block in blocks:
            if block["kind"] == "folded":
                yield from walk(block["blocks"])
            else:
                yield block

    for section in report["sections"]:
        yield from walk(section["blocks"])


def tables_of(report):
    return (block for block in blocks_of(report) if block["kind"] == "table")


def number_of(text, unit=""):
    """"3.104 us" in ns, "29.0 MB", "12.3 %", "41,766": the number in `unit`; None for words."""
    match = re.fullmatch(r"([+-]?[\d,]+(?:\.\d+)?(?:e[+-]\d+)?)(?: (\S.*))?", text)
    if not match:
        return None
    value, written = float(match[1].replace(",", "")), match[2] or ""
    return value * (TIMES[written] if written in TIMES else 1 if written == unit or written in PLAIN else SCALES.get(written[:1], 1))


def is_shown(cell, text):
    if "before" in cell or "after" in cell:
        return "→" in text
    value = cell.get("value")
    if isinstance(value, str):
        return text == value
    if value is None:
        return text == cell.get("reason", "")
    number = number_of(text, cell.get("unit", ""))
    scale = 1e6 if cell.get("unit") == "ms" else 100 if cell.get("unit") == "fraction" else 1
    return number is not None and abs(number - value * scale) <= max(abs(value * scale) * 6e-3, 0.06 if cell.get("unit") in ("%", "fraction") else 1e-9)


def differences(table, shown):
    if len(shown) != len(table["rows"]):
        yield f"{len(shown)} of {len(table['rows'])} rows"
        return
    for wanted, row in zip(table["rows"], shown):
        drawn = [(title, cell) for i, (title, cell) in enumerate(zip(table["columns"], wanted)) if i not in table.get("not_drawn", ())]
        for (title, cell), (text, detail) in zip(drawn, row, strict=True):
            if not is_shown(cell, text):
                yield f"{title}: {text!r} in place of {cell}"
            elif cell.get("detail", "") not in detail:
                yield f"{title}: {detail!r} beside it in place of {cell}"


def missing_cells(page, shown):
    """Cells of the page that the program writes which none of `shown` is: the same figure has one text everywhere."""
    texts = {" ".join(text.split()) for table in shown for row in table for text, _ in row}
    cells = []
    for attributes, content in re.findall(r"<td([^>]*)>(.*?)</td>", page, re.S):
        content = re.sub(r"<small.*?</small>|<span class=\"meter\">.*?</span>|<p>.*?</p>", "", content)
        title = re.search(r' title="([^"]*)"', attributes)
        text = title[1] if title else re.sub(r"<[^>]+>", "", content)
        text = " ".join(html.unescape(text).split())
        if text and text not in texts and "\N{REPLACEMENT CHARACTER}" not in text:  # which page and JSON write each in its own way
            cells.append(text)
    return cells
