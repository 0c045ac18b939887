// SPDX-License-Identifier: MIT
// Several sessions side by side: the figures that each report has, and what `aaco diff` says of each against the base.
import type { Cell, Headline, Report, Section } from "../server/report_document";
import { cellLine } from "../text/numbers";
import { type Bar, barChart, intervalOf, number, section, table, words } from "./blocks";

interface Verdict {
  verdict: string;
  reason?: string;
  ratio: number | null;
  interval: [number, number] | null;
}

interface TraceTotal {
  count: number;
  total_ns: number;
}

// Of runs a verdict, of other kinds pairs, of traces totals.
interface ComparisonDocument extends Partial<Verdict> {
  pairs?: (Verdict & { configuration: string })[];
  device?: { before: TraceTotal; after: TraceTotal };
}

export interface ComparedSession {
  name: string;
  report: Report | Error;
  against: { document: unknown } | Error | null; // null: it is the base
}

interface Metric {
  id: string;
  title: string;
  unit: string;
  value: number | null;
  interval: { low: number; high: number } | null;
  quality: string;
}

interface Figure {
  title: string;
  cell: Cell;
}

// The metrics of a report; of one without, the parts of its time.
function figuresOf(report: Report): Map<string, Figure> {
  const metrics = report.metrics as Metric[];
  if (metrics.length > 0) {
    return new Map(metrics.map((metric) => [metric.id, { title: metric.title, cell: number(metric.value, metric.unit, metric.interval, metric.quality) }]));
  }
  return new Map((report.headline?.budget ?? []).map((part) => [part.name, { title: part.name, cell: number(part.value, part.unit) }]));
}

const percent = (ratio: number | null | undefined): number | null => (ratio === null || ratio === undefined ? null : (ratio - 1) * 100);

interface Change {
  name: string;
  what: string;
  change: Cell;
  verdict: string;
  reason: string;
}

function changeOf(name: string, what: string, verdict: Partial<Verdict>): Change {
  const interval = verdict.interval === null || verdict.interval === undefined ? null : intervalOf([percent(verdict.interval[0])!, percent(verdict.interval[1])!]);
  return { name, what, change: number(percent(verdict.ratio), "%", interval, "not shown"), verdict: verdict.verdict ?? "", reason: verdict.reason ?? "" };
}

function changesOf(session: ComparedSession): Change[] {
  const { name, against } = session;
  if (against === null) {
    return [];
  }
  if (against instanceof Error) {
    return [{ name, what: "", change: number(null, "%", null, "not compared"), verdict: "not compared", reason: against.message }];
  }
  const document = against.document as ComparisonDocument;
  if (document.pairs !== undefined) {
    return document.pairs.map((pair) => changeOf(name, pair.configuration, pair));
  }
  if (document.device !== undefined) {
    const { before, after } = document.device;
    const ratio = before.total_ns > 0 ? after.total_ns / before.total_ns : null;
    return [changeOf(name, "time on the devices", { ratio, interval: null, verdict: "no verdict", reason: "a trace is recorded once: its spread is unknown" })];
  }
  return [changeOf(name, "median", document)];
}

const TONES: Record<string, Cell["tone"]> = { regressed: "bad", improved: "good", equivalent: "good", inconclusive: "warning", invalid: "bad" };

// How many of the verdicts are which; the largest changes that have one.
export function comparisonHeadline(sessions: readonly ComparedSession[], base: string): Headline {
  const changes = sessions.flatMap(changesOf);
  const counts = new Map<string, number>();
  for (const change of changes) {
    counts.set(change.verdict, (counts.get(change.verdict) ?? 0) + 1);
  }
  const shown = changes.filter((change) => change.verdict === "regressed" || change.verdict === "improved");
  const size = (change: Change): number => Math.abs(typeof change.change.value === "number" ? change.change.value : 0);
  return {
    figure: `${shown.length === 0 ? "no change is shown" : `${countWords(shown.length)} shown`} against ${base}`,
    budget: [],
    findings: shown.sort((a, b) => size(b) - size(a)).slice(0, 3).map((change) => `${change.name}, ${change.what}: ${change.verdict}, ${cellLine(change.change)}`),
    quality: [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(", "),
    tone: shown.length === changes.length ? "good" : "warning",
  };
}

const countWords = (count: number): string => (count === 1 ? "1 change is" : `${count} changes are`);

export function comparisonSections(sessions: readonly ComparedSession[], base: string): Section[] {
  const changes = sessions.flatMap(changesOf);
  const several = new Set(changes.map((change) => change.what)).size > 1;
  const bars = changes.map((change): Bar => ({ name: several ? `${change.name} ${change.what}` : change.name, value: change.change }));
  return [
    section("changes", `Against ${base}`, [
      barChart({ id: "compare-changes", title: "Change against the base", caption: "with its interval, where the sessions allow one" }, bars),
      table(
        "compare-changes-table",
        "",
        ["session", "of", "change", "verdict", "why"],
        changes.map((change) => [words(change.name), words(change.what), change.change, { value: change.verdict, tone: TONES[change.verdict] ?? "neutral" }, words(change.reason)]),
      ),
    ]),
    section("figures", "Figures side by side", [figuresTable(sessions)]),
  ];
}

// A row for each figure that any of them has, in the order in which they have them.
function figuresTable(sessions: readonly ComparedSession[]) {
  const columns = sessions.map((session) => (session.report instanceof Error ? new Map<string, Figure>() : figuresOf(session.report)));
  const ids = new Map(columns.flatMap((figures) => [...figures].map(([id, figure]) => [id, figure.title] as const)));
  const answers = sessions.map(({ report }) => (report instanceof Error ? number(null, "1", null, report.message) : words(report.headline?.figure)));
  const rows = [...ids].map(([id, title]) => [words(title), ...columns.map((figures) => figures.get(id)?.cell ?? number(null, "1", null, "not of this kind"))]);
  const known = rows.filter((row) => row.slice(1).some((cell) => cell.value !== null));
  const left = rows.length - known.length;
  return table("compare-figures", "", ["figure", ...sessions.map((session) => session.name)], [[words("answer"), ...answers], ...known], left === 0 ? "" : `${left} figures are unknown in every session and are left out`);
}
