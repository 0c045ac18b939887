// SPDX-License-Identifier: MIT
// Blocks of a report, made of a session's document. What a document lacks stays unknown: it is never drawn as 0.
import type { Axis, Cell, Interval, PlotBlock, Section, Series, TableBlock } from "../server/report_document";

export interface Estimate {
  value: number;
  interval: Interval | null;
}

type Unknown = null | undefined;

export const words = (text: string | Unknown): Cell => ({ value: text ?? "" });

export function number(value: number | Unknown, unit: string, interval: Interval | Unknown = null, reason = "unknown"): Cell {
  return value === null || value === undefined ? { value: null, reason } : { value, unit, ...(interval !== null && interval !== undefined && { interval }) };
}

export const estimate = (value: Estimate | Unknown, unit: string, reason = "unknown"): Cell => number(value?.value, unit, value?.interval, reason);

export const intervalOf = (pair: [number, number] | Unknown): Interval | null => (pair === null || pair === undefined ? null : { low: pair[0], high: pair[1] });

export function table(id: string, title: string, columns: string[], rows: Cell[][], note = ""): TableBlock {
  return { kind: "table", id, title, columns, rows, note };
}

export const section = (id: string, title: string, blocks: Section["blocks"]): Section => ({ id, title, badges: [], blocks });

interface ChartWords {
  id: string;
  title: string;
  caption?: string;
}

function plot(chart: ChartWords, x: Axis, y: Axis, series: Series[], annotations: PlotBlock["annotations"] = []): PlotBlock {
  const empty = series.every((each) => each.x.length === 0);
  return { kind: "plot", id: chart.id, title: chart.title, caption: chart.caption ?? "", no_data: empty ? "none of the sessions has it" : null, x, y, series, annotations };
}

export interface Bar {
  name: string;
  value: Cell;
}

// A row for each, with its interval; those that are unknown keep their row.
export function barChart(chart: ChartWords, bars: readonly Bar[]): PlotBlock {
  const known = bars.flatMap((bar, row) => (typeof bar.value.value === "number" ? [{ row, value: bar.value.value, interval: bar.value.interval }] : []));
  const series: Series = { name: "", mark: "bars", points: known.length, x: known.map((bar) => bar.value), y: known.map((bar) => bar.row) };
  if (known.some((bar) => bar.interval !== undefined)) {
    series.low = known.map((bar) => bar.interval?.low ?? bar.value);
    series.high = known.map((bar) => bar.interval?.high ?? bar.value);
  }
  const unit = bars.find((bar) => bar.value.unit !== undefined)?.value.unit ?? "1";
  return plot(chart, { title: "", unit, logarithmic: false }, { title: "", unit: "1", logarithmic: false, categories: bars.map((bar) => bar.name) }, [series]);
}

export interface Part {
  name: string;
  values: (number | Unknown)[]; // one a row, in ns
}

// Parts of a time beside each other, a row for each of `rows`.
export function partsChart(chart: ChartWords, rows: string[], parts: readonly Part[]): PlotBlock {
  const ends = rows.map(() => 0);
  const series = parts.map((part): Series => {
    const spans = part.values.flatMap((value, row) => {
      const start = ends[row]!;
      ends[row] = start + (value ?? 0);
      return value === null || value === undefined || value <= 0 ? [] : [{ row, start, end: ends[row]! }];
    });
    return { name: part.name, mark: "spans", points: spans.length, x: spans.map((span) => span.end), y: spans.map((span) => span.row), start: spans.map((span) => span.start) };
  });
  return plot(chart, { title: "", unit: "ns", logarithmic: false }, { title: "", unit: "1", logarithmic: false, categories: rows }, series);
}

export interface Line {
  name: string;
  mark: "line" | "points";
  x: number[];
  y: (number | Unknown)[];
  intervals?: (Interval | Unknown)[];
  labels?: string[];
}

// A point without a value is left out.
export function lineChart(chart: ChartWords, x: Axis, y: Axis, lines: readonly Line[], annotations: PlotBlock["annotations"] = []): PlotBlock {
  const series = lines.map((line): Series => {
    const rows = line.y.flatMap((value, i) => (value === null || value === undefined ? [] : [{ x: line.x[i]!, y: value, interval: line.intervals?.[i], label: line.labels?.[i] }]));
    return {
      name: line.name,
      mark: line.mark,
      points: rows.length,
      x: rows.map((row) => row.x),
      y: rows.map((row) => row.y),
      ...(line.labels !== undefined && { labels: rows.map((row) => row.label ?? "") }),
      ...(line.intervals?.some((interval) => interval !== null && interval !== undefined) === true && {
        low: rows.map((row) => row.interval?.low ?? row.y),
        high: rows.map((row) => row.interval?.high ?? row.y),
      }),
    };
  });
  return plot(chart, x, y, series, annotations);
}
