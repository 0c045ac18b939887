// SPDX-License-Identifier: MIT
// Two sessions: what changed, and both timelines below each other on one axis of time.
import { fetchDiff, fetchSessions } from "../server/requests";
import { copyLink } from "../shell/copy";
import { button, element, replace } from "../shell/element";
import type { Leave, Page } from "../shell/page";
import { addressOf } from "../shell/route";
import { failure, loading, nothing } from "../shell/states";
import { reportView, sectionLinks } from "../report/report_view";
import { listenToKeys } from "../timeline/controls";
import { TimeWindow } from "../timeline/time_window";
import { TimelineView } from "../timeline/timeline_view";
import { keysDialog } from "./keys_dialog";

export const showDiff: Page = (main, route) => {
  const [a = "", b = ""] = route.subjects;
  document.title = "Compare – aaco";
  const leave: Leave[] = [];
  const chooser = element("div", { class: "filters" });
  const report = element("div", {});
  const timelines = element("div", { class: "stacked" });
  replace(main, chooser, report, timelines);
  void fillChooser(chooser, a, b);
  if (a === "" || b === "") {
    replace(report, nothing("Choose two sessions", "The first is the baseline: what changed from it to the second is shown."));
    return undefined;
  }
  showReport(report, a, b);
  showTimelines(timelines, a, b, leave);
  return () => leave.forEach((end) => end());
};

async function fillChooser(place: HTMLElement, a: string, b: string): Promise<void> {
  const names = await fetchSessions().then(
    (list) => list.sessions,
    () => [],
  );
  const choice = (label: string, chosen: string): HTMLSelectElement => {
    const options = names.map((row) => element("option", { value: row.name }, `${row.name} · ${row.kind} · ${row.subject ?? ""}`));
    const select = element("select", { "aria-label": label }, element("option", { value: "" }, label), ...options);
    select.value = chosen;
    select.addEventListener("change", () => {
      location.hash = addressOf("diff", [first.value, second.value]);
    });
    return select;
  };
  const first = choice("baseline", a);
  const second = choice("compared with it", b);
  const swap = button("⇄", () => (location.hash = addressOf("diff", [b, a])), { "aria-label": "Exchange the two" });
  replace(place, first, swap, second, element("span", { class: "spring" }), button("Link", () => void copyLink(), { class: "quiet" }));
}

function showReport(place: HTMLElement, a: string, b: string): void {
  replace(place, loading("the comparison"));
  fetchDiff(a, b)
    .then((diff) => replace(place, element("div", { class: "columns" }, sectionLinks(diff.report), reportView(diff.report))))
    .catch((error: unknown) => replace(place, failure(error, () => showReport(place, a, b))));
}

// Both start at 0: the window is relative to the start of each trace.
function showTimelines(place: HTMLElement, a: string, b: string, leave: Leave[]): void {
  const window = new TimeWindow();
  const handlers = { picked: () => undefined, ranged: () => undefined, folded: () => undefined };
  const views = [a, b].map((name) => new TimelineView(name, window, handlers, [], "auto"));
  void Promise.all(views.map((view) => view.start())).then((started) => {
    if (!started.some(Boolean)) {
      replace(place);
      return;
    }
    const dialog = keysDialog();
    const parts = views.flatMap((view) => [
      element("h3", {}, element("a", { href: addressOf("timeline", [view.name]) }, view.name)),
      view.element,
    ]);
    const bar = element(
      "div",
      { class: "tl-bar" },
      element("h2", {}, "Timelines, aligned at their starts"),
      element("span", { class: "spring" }),
      button("Whole (0)", () => window.showAll()),
      button("Keys (?)", () => dialog.showModal(), { class: "quiet" }),
    );
    replace(place, bar, ...parts, dialog);
    const nothingToDo = (): void => undefined;
    leave.push(
      listenToKeys(
        window,
        { search: nothingToDo, help: () => dialog.showModal(), mark: nothingToDo, fit: nothingToDo, worstGap: nothingToDo, criticalPath: nothingToDo, escape: nothingToDo },
        () => 0.5,
      ),
    );
  });
  leave.push(() => views.forEach((view) => view.stop()));
}
