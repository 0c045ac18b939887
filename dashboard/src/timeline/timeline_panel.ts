// SPDX-License-Identifier: MIT
// Below the timeline: the event that was picked, the statistics of a range, search results, or the worst gaps.
import type { SearchAnswer, Statistics, TimelineEvent } from "../server/documents";
import { button, element, replace } from "../shell/element";
import { failure, loading } from "../shell/states";
import { sortableTable, type TableColumn } from "../report/table_view";
import { countText, durationOrUnknown, durationText, nsOf, percentText } from "../text/numbers";
import type { RelativeGap } from "./overlay";
import type { TimelineView } from "./timeline_view";

export const panelElement = (): HTMLElement => element("aside", { class: "tl-panel", "aria-label": "Details", hidden: true });

export function showPanel(panel: HTMLElement, title: string, close: () => void, ...content: (Node | string)[]): void {
  panel.hidden = false;
  replace(
    panel,
    element("div", { class: "tl-panel-head" }, element("h2", {}, title), button("Close", close, { class: "quiet" })),
    element("div", { class: "tl-panel-body", tabindex: 0, role: "region", "aria-label": title }, ...content),
  );
}

export const panelLoading = (what: string): HTMLElement => loading(what);
export const panelFailure = (error: unknown): HTMLElement => failure(error);

function text<Row>(title: string, value: (row: Row) => string | Node, key: (row: Row) => string): TableColumn<Row> {
  return { title, numeric: false, order: key, csv: key, cell: (row) => element("td", { class: "long" }, value(row)) };
}

function number<Row>(title: string, value: (row: Row) => number | null, write: (value: number) => string): TableColumn<Row> {
  return { title, numeric: true, order: value, csv: value, cell: (row) => numberCell(value(row), write) };
}

const numberCell = (value: number | null, write: (value: number) => string): HTMLTableCellElement =>
  element("td", { class: "n w" }, value === null ? "unknown" : write(value));

type BusyRow = Statistics["busy"][number];
type NameRow = Statistics["rows"][number];
type MatchRow = SearchAnswer["matches"][number];

export function statisticsView(statistics: Statistics, view: TimelineView): HTMLElement[] {
  const busy = sortableTable<BusyRow>(
    [
      text("track", (row) => view.trackName(row.track), (row) => view.trackName(row.track)),
      number("busy", (row) => row.busy_ns, durationText),
      number("share of the range", (row) => row.share, percentText),
    ],
    statistics.busy,
    { caption: "Busy time", name: "busy time" },
  );
  const rows = sortableTable<NameRow>(
    [
      text("name", (row) => row.name, (row) => row.name),
      text("category", (row) => view.categoryName(row.category), (row) => view.categoryName(row.category)),
      number("count", (row) => row.count, countText),
      number("total", (row) => row.total_ns, durationText),
      number("mean", (row) => row.mean_ns, durationText),
      number("longest", (row) => row.longest_ns, durationText),
    ],
    statistics.rows,
    { caption: "Events by name", name: "events by name", sorted: { column: 3, down: true } },
  );
  return [rows, busy];
}

function shown(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

function listOf(values: Record<string, unknown>): HTMLElement {
  const list = element("dl", { class: "facts" });
  for (const [name, value] of Object.entries(values)) {
    list.append(element("dt", {}, name), element("dd", {}, shown(value)));
  }
  return list;
}

export function eventView(event: TimelineEvent, view: TimelineView, go: (row: number) => void): HTMLElement[] {
  const facts: Record<string, unknown> = {
    track: view.trackName(event.track),
    category: view.categoryName(event.category),
    start: durationText(view.relative(event.start_ns)),
    duration: durationOrUnknown(nsOf(event.duration_ns)),
  };
  const parts = [listOf(facts)];
  if (event.idle_cause !== null && event.idle_cause !== undefined) {
    parts.push(element("h3", {}, "Idle before it"), listOf(event.idle_cause));
  }
  if (Object.keys(event.arguments).length > 0) {
    parts.push(element("h3", {}, "Arguments"), listOf(event.arguments));
  }
  if (event.flows.length > 0) {
    const links = event.flows.map((flow) =>
      element("li", {}, button(`${view.trackName(flow.track)} at ${durationText(view.relative(flow.start_ns))}`, () => go(flow.to), { class: "link" })),
    );
    const title = event.flows_truncated === true ? `Flows, the first ${event.flows.length}` : "Flows";
    parts.push(element("h3", {}, title), element("ul", {}, ...links));
  }
  return parts;
}

export function matchesView(answer: SearchAnswer, view: TimelineView, go: (row: number) => void): HTMLElement {
  return sortableTable<MatchRow>(
    [
      text("name", (row) => button(row.name, () => go(row.event), { class: "link" }), (row) => row.name),
      text("track", (row) => view.trackName(row.track), (row) => view.trackName(row.track)),
      number("start", (row) => view.relative(row.start_ns), durationText),
      number("duration", (row) => nsOf(row.duration_ns), durationText),
    ],
    answer.matches,
    {
      caption: answer.truncated ? `${countText(answer.total)} matches, the first ${answer.matches.length} are listed` : `${countText(answer.total)} matches`,
      name: "search results",
      all: true,
    },
  );
}

export function gapsView(gaps: readonly RelativeGap[], view: TimelineView, go: (gap: RelativeGap) => void): HTMLElement {
  return sortableTable<RelativeGap>(
    [
      number("idle", (gap) => gap.duration, durationText),
      text("cause", (gap) => button(gap.cause, () => go(gap), { class: "link" }), (gap) => gap.cause),
      text("track", (gap) => view.trackName(gap.track), (gap) => view.trackName(gap.track)),
      number("start", (gap) => gap.start, durationText),
      text("detail", (gap) => gap.detail, (gap) => gap.detail),
    ],
    gaps,
    { caption: "Idle times, worst first", name: "idle times", sorted: { column: 0, down: true } },
  );
}
