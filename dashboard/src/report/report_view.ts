// SPDX-License-Identifier: MIT
// Draws a report: the answer first, then each section.
import type { Badge, Block, Cell, Facts, Headline, Report, Section } from "../server/report_document";
import { append, breakable, element } from "../shell/element";
import { cellDetail, cellLine, cellText, durationText, percentText } from "../text/numbers";
import { chartView } from "./chart_view";
import { tableView } from "./table_view";

const SHORT_FIGURE = 13; // characters of a figure that stays in one line

function badges(list: readonly Badge[]): HTMLElement[] {
  return list.map((badge) => element("span", { class: `badge ${badge.tone}` }, badge.text));
}

export function headlineView(headline: Headline): HTMLElement {
  const whole = headline.budget.reduce((sum, part) => sum + part.value, 0);
  const parts = headline.budget.map((part, index) => ({ ...part, colour: `c${index % 9}` })).filter((part) => part.value > 0);
  const bar = element("div", { class: "timebar", "aria-hidden": "true" });
  for (const part of parts) {
    const piece = element("i", { class: part.colour });
    piece.style.width = `${(part.value / whole) * 100}%`;
    bar.append(piece);
  }
  const legend = parts.map((part) =>
    element("span", {}, element("i", { class: part.colour }), `${part.name} ${durationText(part.value)} (${percentText(part.value / whole)})`),
  );
  return element(
    "div",
    { class: "headline" },
    element("p", { class: "answer" }, headline.figure),
    whole > 0 && bar,
    whole > 0 && element("div", { class: "legend" }, ...legend),
    headline.findings.length > 0 && element("ol", {}, ...headline.findings.map((finding) => element("li", {}, finding))),
    element("p", { class: `quality ${headline.tone}` }, element("b", { "aria-hidden": "true" }), `Quality: ${headline.quality}`),
  );
}

function figureView(figure: Cell & { label: string }): HTMLElement {
  const text = cellText(figure);
  const detail = cellDetail(figure);
  return element(
    "div",
    { class: `figure ${figure.tone ?? "neutral"}` },
    element("span", {}, figure.label),
    element("b", text.length <= SHORT_FIGURE ? { class: "w" } : {}, text),
    detail !== "" && element("span", {}, breakable(detail)),
  );
}

function factsView(facts: Facts): HTMLElement {
  const list = element("dl", { class: "facts" });
  for (const [name, cell] of Object.entries(facts)) {
    list.append(element("dt", {}, name), element("dd", {}, breakable(cellLine(cell))));
  }
  return list;
}

function findingView(block: Extract<Block, { kind: "finding" }>): HTMLElement {
  const figures = Object.entries(block.figures).map(([name, cell]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, cellLine(cell))),
  );
  return element(
    "div",
    { class: "finding" },
    element("h3", {}, block.title, ...badges(block.badges)),
    figures.length > 0 && element("dl", { class: "nums" }, ...figures),
    block.evidence !== "" && element("p", { class: "sub" }, block.evidence),
    block.advice !== "" && element("p", {}, block.advice),
  );
}

function blockView(block: Block): HTMLElement {
  switch (block.kind) {
    case "paragraph":
      return element("p", block.tone === "neutral" ? {} : { class: `remark ${block.tone}` }, block.text);
    case "list":
      return element(
        "div",
        {},
        block.title !== "" && element("h3", {}, block.title),
        element("ul", {}, ...block.items.map((item) => element("li", {}, item))),
      );
    case "figures":
      return element("div", { class: "figures" }, ...block.figures.map(figureView));
    case "table":
      return tableView(block);
    case "facts":
      return factsView(block.facts);
    case "finding":
      return findingView(block);
    case "code":
      return element("pre", { tabindex: 0 }, block.text);
    case "plot":
      return chartView(block);
    case "folded":
      return foldedView(block.title, () => block.blocks.map(blockView));
  }
}

// Closed until asked for, and drawn then: a chart needs a width.
export function foldedView(title: string, content: () => HTMLElement[]): HTMLElement {
  const fold = element("details", { class: "fold" }, element("summary", {}, title));
  const fill = (): void => {
    if (fold.open && fold.childElementCount === 1) {
      append(fold, content());
    }
  };
  fold.addEventListener("toggle", fill);
  return fold;
}

function sectionView(section: Section): HTMLElement {
  return element(
    "section",
    { id: `section-${section.id}`, "aria-label": section.title },
    element("h2", {}, section.title, ...badges(section.badges)),
    ...section.blocks.map(blockView),
  );
}

// Links to the sections; they scroll, because the fragment of the address is the route.
export function sectionLinks(report: Report): HTMLElement {
  const links = report.sections.map((section) =>
    element(
      "button",
      { type: "button", class: "link", onclick: () => document.querySelector(`#section-${CSS.escape(section.id)}`)?.scrollIntoView() },
      section.title,
    ),
  );
  return element("nav", { class: "sections", "aria-label": "Sections" }, ...links);
}

// `labels`: what others than the report say of its subject.
export function reportView(report: Report, actions: HTMLElement[] = [], labels: HTMLElement[] = []): HTMLElement {
  const marks = [...badges(report.badges), ...labels];
  return element(
    "div",
    { class: "report" },
    element(
      "div",
      { class: "title" },
      element(
        "div",
        {},
        element("h1", {}, report.title),
        element("div", { class: "sub" }, report.subtitle),
        marks.length > 0 && element("div", { class: "badges" }, ...marks),
      ),
      element("div", { class: "actions" }, ...actions),
    ),
    report.headline !== null && headlineView(report.headline),
    ...report.sections.map(sectionView),
    element("p", { class: "foot" }, report.footer),
  );
}
