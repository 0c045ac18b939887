#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_pages.py AACO ROOT [--full] [--pictures FOLDER]: pages of recorded sessions and traces, drawn by a headless Chromium: nothing is
clipped, no word is broken in two, at 800, 1280 and 1920 pixels, light, dark and printed. --full draws every kind; without it three."""
import lzma
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import browser as browsers
import skipping

KINDS_OF_ALL_RUNS = ("run", "trace", "overlap_copy")
WIDTHS = (800, 1280, 1920)
# An element that hides what does not fit, a box that scrolls sideways, and a word that stands in two lines. Words are letters and digits: a
# line may break behind a sign. What is longer than a column can wait for may break anywhere.
MEASURE = r"""
(() => {
  const problems = [];
  const say = (what, element) => problems.push(what + ': ' + element.tagName.toLowerCase() + '.' + element.className + ' "' +
                                               element.textContent.trim().slice(0, 60) + '"');
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) problems.push('the page is ' + root.scrollWidth + ' wide in ' + root.clientWidth);
  for (const box of document.querySelectorAll('.scroll, .figure, .headline, td, th, .finding, .draw'))
    if (box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1) say('clipped by ' + (box.scrollWidth - box.clientWidth), box);
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const home = node.parentElement.closest('.figure, td, th, .headline, h3, dt');
    if (!home || node.parentElement.closest('svg')) continue;
    for (const word of node.data.matchAll(/[\p{L}\p{N}]{2,24}/gu)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const tops = new Set([...range.getClientRects()].filter(one => one.width > 0).map(one => Math.round(one.top)));
      const run = node.data.slice(0, word.index + word[0].length).split(/\s/).pop().length;
      const rest = node.data.slice(word.index).split(/\s/)[0].length;
      if (tops.size > 1 && run + rest - word[0].length <= 24) { say('"' + word[0] + '" is broken', home); break; }
    }
  }
  return [...new Set(problems)];
})()
"""


def pages_of(aaco, root, folder, full):
    """A page of each session that the golden tests keep, and of a trace."""
    pages = []
    for kind in sorted(path for path in (root / "tests/golden/sessions").iterdir() if full or path.name in KINDS_OF_ALL_RUNS):
        copy = folder / kind.name
        shutil.copytree(kind, copy, symlinks=True)
        for packed in copy.rglob("*.xz"):
            packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
        for session in sorted(copy.glob("*/*/session.json")):
            page = folder / f"{kind.name}_{session.parent.name}.html"
            done = subprocess.run([aaco, "report", "--session", str(session.parent), "--output", str(page)], capture_output=True, text=True)
            if done.returncode == 0:
                pages.append(page)
    return pages


def problems_of(browser, page, pictures):
    browser.medium("screen", "light")
    browser.open(page.resolve().as_uri())
    browser.value("for (const fold of document.querySelectorAll('details.fold')) fold.open = true")
    for width in WIDTHS:
        browser.size(width)
        yield from (f"{page.name}, {width}: {problem}" for problem in browser.value(MEASURE))
        for scheme in ("light", "dark") if pictures else ():
            browser.medium("screen", scheme)
            browser.picture(pictures / f"{page.stem}_{width}_{scheme}.png", whole=scheme == "light")
    browser.size(794)  # A4
    browser.medium("print", "light")
    yield from (f"{page.name}, printed: {problem}" for problem in browser.value(MEASURE))


def main():
    aaco, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    pictures = pathlib.Path(sys.argv[sys.argv.index("--pictures") + 1]) if "--pictures" in sys.argv else None
    program = browsers.program()
    if program is None:
        skipping.skip("no Chromium here")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        pages = pages_of(aaco, root, folder, "--full" in sys.argv)
        if not pages:
            sys.exit("no page was made")
        browser = browsers.Browser(program, folder)
        try:
            problems = [problem for page in pages for problem in problems_of(browser, page, pictures)]
        finally:
            browser.end()
    for problem in problems:
        print(problem)
    print(f"{len(pages)} pages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
