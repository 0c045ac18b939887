# SPDX-License-Identifier: MIT
"""How a page of the dashboard looks: never wider than its window, and nothing serious by axe-core."""
import json
import re

WIDTHS = (800, 1280, 2560)
RULES = "{resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']}"


def check_fit(pages, where, scheme, widths=WIDTHS):
    for width in widths:
        pages.browser.size(width)
        fits = pages.browser.wait_for("document.documentElement.scrollWidth <= document.documentElement.clientWidth", 3)
        pages.expect(fits, f"{where}: wider than the window at {width}")
        if pages.pictures:
            pages.browser.wait_for("new Promise(done => setTimeout(() => done(true), 300))")
            pages.browser.picture(pages.pictures / f"{re.sub('[^a-z0-9]+', '_', where)}_{width}_{scheme}.png")
    pages.browser.size(1280)


def check_axe(pages, where):
    pages.browser.value((pages.root / "dashboard/node_modules/axe-core/axe.min.js").read_text() + ";0")
    faults = pages.browser.value(f"axe.run(document, {RULES}).then(result => JSON.stringify(result.violations.map(v => [v.impact, v.id, v.nodes[0].html.slice(0, 160), v.nodes[0].failureSummary])))")
    for impact, rule, place, why in json.loads(faults or '[["critical", "axe did not run", "", ""]]'):
        pages.expect(impact not in ("serious", "critical"), f"{where}: {rule}: {place} {why}")


def check_look(pages, where):
    """As it is now, light and dark."""
    for scheme in ("light", "dark"):
        pages.browser.medium("screen", scheme)
        check_fit(pages, where, scheme, WIDTHS if scheme == "light" or pages.pictures else ())
        check_axe(pages, f"{where}, {scheme}")
    pages.browser.medium("screen", "light")
