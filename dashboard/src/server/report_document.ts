// SPDX-License-Identifier: MIT
// A report as `aaco report --format json` writes it.

export type Tone = "good" | "warning" | "bad" | "neutral";

export interface Badge {
  text: string;
  tone: Tone;
}

export interface Interval {
  low: number;
  high: number;
}

export interface NumberValue {
  value: number | null;
  unit: string;
  interval?: Interval;
  reason?: string;
}

// A number with its unit, words, or null with the reason; a transition has both sides in place of a value.
export interface Cell {
  value?: number | string | null;
  unit?: string;
  interval?: Interval;
  before?: NumberValue | null;
  after?: NumberValue | null;
  reason?: string;
  detail?: string;
  tone?: Tone;
}

export interface Axis {
  title: string;
  unit: string;
  logarithmic: boolean;
  categories?: string[];
  whole?: boolean; // counts: no tick lies between two
}

export type Mark = "line" | "points" | "bars" | "spans" | "histogram" | "ecdf" | "stacked area";

export interface Series {
  name: string;
  mark: Mark;
  points: number;
  colour?: number;
  x: number[];
  y?: number[];
  low?: number[];
  high?: number[];
  start?: number[];
  labels?: string[];
}

export interface Annotation {
  kind: "vertical band" | "vertical line" | "horizontal band" | "horizontal line";
  from: number;
  to: number | null;
  text: string;
}

export interface PlotBlock {
  kind: "plot";
  id: string;
  title: string;
  caption: string;
  no_data: string | null;
  x: Axis;
  y: Axis;
  series: Series[];
  annotations: Annotation[];
}

export interface TableBlock {
  kind: "table";
  id: string;
  title: string;
  columns: string[];
  rows: Cell[][];
  note: string;
  not_drawn?: number[]; // positions of columns that are for programs alone
}

export type Facts = Record<string, Cell>;

export type Block =
  | { kind: "paragraph"; text: string; tone: Tone }
  | { kind: "list"; title: string; items: string[] }
  | { kind: "figures"; figures: (Cell & { label: string })[] }
  | TableBlock
  | { kind: "facts"; facts: Facts }
  | { kind: "finding"; title: string; badges: Badge[]; figures: Facts; evidence: string; advice: string }
  | { kind: "code"; text: string }
  | PlotBlock
  | { kind: "folded"; title: string; blocks: Block[] };

export interface Headline {
  figure: string;
  budget: { name: string; value: number; unit: string }[];
  findings: string[];
  quality: string;
  tone: Tone;
}

export interface Section {
  id: string;
  title: string;
  badges: Badge[];
  blocks: Block[];
}

export interface Report {
  title: string;
  subtitle: string;
  badges: Badge[];
  headline: Headline | null;
  metrics: unknown[];
  sections: Section[];
  footer: string;
}
