// SPDX-License-Identifier: MIT
// Two to eight sessions side by side. The first of the address is the base.
import { fetchDiff, fetchReport, fetchSessions } from "../server/requests";
import { copyLink, say } from "../shell/copy";
import { button, element, replace } from "../shell/element";
import type { Page } from "../shell/page";
import { addressOf } from "../shell/route";
import { failure, loading, nothing } from "../shell/states";
import { reportView } from "../report/report_view";
import { type ComparedSession, comparisonHeadline, comparisonSections } from "../study/comparison";

export const MOST_COMPARED = 8;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

export const showCompare: Page = (main, route) => {
  const names = [...new Set(route.subjects)].slice(0, MOST_COMPARED);
  document.title = "Compare – aaco";
  let shown = true;
  const chooser = element("div", { class: "filters" });
  const place = element("div");
  replace(main, chooser, place);
  void fillChooser(chooser, names);
  if (names.length < 2) {
    replace(place, element("h1", {}, "Compare"), nothing("Choose two or more sessions", `Up to ${MOST_COMPARED}. The first is the base: the others are compared with it.`));
    return undefined;
  }
  const base = names[0]!;
  replace(place, loading("the sessions"));
  const session = async (name: string): Promise<ComparedSession> => {
    const [report, against] = await Promise.all([fetchReport(name).catch(asError), name === base ? null : fetchDiff(base, name).catch(asError)]);
    return { name, report, against };
  };
  Promise.all(names.map(session)).then(
    (sessions) => {
      if (shown) {
        const sections = comparisonSections(sessions, base);
        replace(place, reportView({ title: `${names.length} sessions compared`, subtitle: `base: ${base}`, badges: [], headline: comparisonHeadline(sessions, base), metrics: [], sections, footer: "" }, actions(names)));
      }
    },
    (error: unknown) => shown && replace(place, failure(error)),
  );
  return () => {
    shown = false;
  };
};

function actions(names: readonly string[]): HTMLElement[] {
  const [base = "", ...others] = names;
  const links = others.map((name) => element("a", { class: "button", href: addressOf("diff", [base, name]) }, `Timelines and report: ${name}`));
  return [...(links.length <= 3 ? links : []), button("Link", () => void copyLink(), { class: "quiet" })];
}

// Each chosen session with what can be done with it, then a list to add another.
async function fillChooser(place: HTMLElement, names: readonly string[]): Promise<void> {
  const rows = await fetchSessions().then(
    (list) => list.sessions,
    () => [],
  );
  const go = (next: readonly string[]): void => {
    location.hash = addressOf("compare", next);
  };
  const chips = names.map((name, index) =>
    element(
      "span",
      { class: "chosen" },
      element("a", { href: addressOf("session", [name]) }, name),
      index === 0 ? element("span", { class: "badge neutral" }, "base") : button("as base", () => go([name, ...names.filter((each) => each !== name)]), { class: "quiet", "aria-label": `Take ${name} as base` }),
      button("×", () => go(names.filter((each) => each !== name)), { class: "quiet", "aria-label": `Leave ${name} out` }),
    ),
  );
  const kinds = new Set(rows.filter((row) => names.includes(row.name)).map((row) => row.kind));
  const others = rows.filter((row) => !names.includes(row.name) && (kinds.size === 0 || kinds.has(row.kind)));
  const add = element(
    "select",
    { "aria-label": "Add a session" },
    element("option", { value: "" }, names.length === 0 ? "Choose the base" : "Add a session"),
    ...others.map((row) => element("option", { value: row.name }, `${row.name} · ${row.kind} · ${row.subject ?? ""}`)),
  );
  add.addEventListener("change", () => (names.length >= MOST_COMPARED ? say(`At most ${MOST_COMPARED} sessions`) : go([...names, add.value])));
  replace(place, ...chips, add);
}
