// SPDX-License-Identifier: MIT
// A series of the guard: each build with the spread of its processes, its levels, and where they changed.
import type { Annotation, Headline, Section } from "../server/report_document";
import { textInUnit } from "../text/numbers";
import { intervalOf, lineChart, number, section, table, words } from "./blocks";

interface SeriesChange {
  index: number;
  first_index: number;
  last_index: number;
  build: string;
  first_build: string;
  last_build: string;
  before: number;
  after: number;
  ratio: number | null;
  interval: [number, number] | null;
}

export interface GuardSeries {
  series: string;
  unit: string;
  builds: number;
  judged: boolean;
  min_change: number;
  changes: SeriesChange[];
  points: { build: string; value: number; low: number; high: number; processes: number }[];
}

export interface GuardHistory {
  store: string;
  damaged: string[];
  series: GuardSeries[];
}

const SHOWN_LABEL = 12; // of a commit, what git shows

const short = (label: string): string => label.slice(0, SHOWN_LABEL);
// "thing latency value" is one measured by hand: its last word tells a reader nothing.
const nameOf = (series: GuardSeries): string => series.series.replace(/ value$/u, "");
const signed = (ratio: number): string => `${ratio >= 1 ? "+" : ""}${((ratio - 1) * 100).toFixed(1)} %`;
const changes = (count: number): string => `${count === 0 ? "no change" : count === 1 ? "1 change" : `${count} changes`}`;

export function historyHeadline(history: GuardHistory): Headline {
  const judged = history.series.filter((series) => series.judged);
  const all = judged.flatMap((series) => series.changes.map((change) => ({ series, change })));
  const last = all.sort((a, b) => a.series.builds - a.change.index - (b.series.builds - b.change.index)).slice(0, 3);
  return {
    figure: history.series.length === 0 ? "no series yet" : `${changes(all.length)} of level in ${judged.length} series`,
    budget: [],
    findings: last.map(({ series, change }) => `${nameOf(series)}: ${change.ratio === null ? "no ratio" : signed(change.ratio)} since ${short(change.build)}`),
    quality: judged.length === history.series.length ? "every series is long enough to judge" : `${history.series.length - judged.length} of ${history.series.length} series are too short to judge`,
    tone: judged.length === history.series.length ? "good" : "warning",
  };
}

export function seriesSection(series: GuardSeries, index: number): Section {
  const title = series.judged ? `${nameOf(series)}: ${changes(series.changes.length)}` : `${nameOf(series)}: too short to judge`;
  const unit = series.unit === "" ? "1" : series.unit;
  const notes: Annotation[] = series.changes.flatMap((change): Annotation[] => [
    ...(change.first_index < change.last_index ? [{ kind: "vertical band" as const, from: change.first_index - 0.5, to: change.last_index + 0.5, text: "" }] : []),
    { kind: "vertical line", from: change.index - 0.5, to: null, text: change.ratio === null ? "change" : signed(change.ratio) },
  ]);
  const x = series.points.map((_, build) => build);
  const chart = lineChart(
    { id: `series-${index}`, title: "Median of each build", caption: "bars: least and largest of its processes; band: the builds between which a change lies" },
    { title: "build", unit: "1", logarithmic: false, whole: true },
    { title: "", unit, logarithmic: false },
    [
      {
        name: "builds",
        mark: "points",
        x,
        y: series.points.map((point) => point.value),
        intervals: series.points.map((point) => (point.processes > 1 ? { low: point.low, high: point.high } : null)),
        labels: series.points.map((point) => `${short(point.build)} · ${textInUnit(point.value, unit)} · ${point.processes === 1 ? "1 process" : `${point.processes} processes`}`),
      },
      ...levels(series),
    ],
    notes,
  );
  const rows = series.changes.map((change) => [
    words(short(change.build)),
    number(change.ratio === null ? null : (change.ratio - 1) * 100, "%", change.interval === null ? null : intervalOf([(change.interval[0] - 1) * 100, (change.interval[1] - 1) * 100]), "no ratio"),
    number(change.before, unit),
    number(change.after, unit),
    words(change.first_build === change.last_build ? short(change.build) : `${short(change.first_build)} .. ${short(change.last_build)}`),
  ]);
  return section(`series-${index}`, title, [chart, ...(rows.length === 0 ? [] : [table(`series-changes-${index}`, "", ["since", "change", "before", "after", "lies in"], rows, "change with its 95 % interval")])]);
}

// Each level from its change to the next, as the changes say them; without a change there is none to draw.
function levels(series: GuardSeries) {
  const starts = [0, ...series.changes.map((change) => change.index)];
  const values = [series.changes[0]?.before, ...series.changes.map((change) => change.after)];
  return series.changes.length === 0
    ? []
    : starts.map((start, i) => {
        const end = (starts[i + 1] ?? series.points.length) - 1;
        return { name: "level", mark: "line" as const, x: [start - 0.5, end + 0.5], y: [values[i], values[i]] };
      });
}

