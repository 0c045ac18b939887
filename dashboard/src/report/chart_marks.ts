// SPDX-License-Identifier: MIT
// The marks of a chart, drawn on uPlot's canvas. Coordinates are canvas pixels.
import type uPlot from "uplot";
import type { Annotation, PlotBlock, Series } from "../server/report_document";
import { colour, faded, mixed } from "../shell/theme";

const MUTED = 8; // the grey of the palette
const BAR = 0.64; // of a row
const MOST_BINS = 40;

export interface PreparedSeries {
  name: string;
  mark: Series["mark"];
  colour: number;
  shown: boolean;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  base?: number[]; // a stacked area lies on it
  start: number[] | undefined;
  low: number[] | undefined;
  high: number[] | undefined;
  labels: string[] | undefined;
}

export interface PreparedChart {
  series: PreparedSeries[];
  x: [number, number];
  y: [number, number];
}

const MUTED_NAMES = new Set(["other", "warm-up", "idle", "coverage"]);

// A colour each name, in the order in which names appear; "other" is grey.
function coloursOf(chart: PlotBlock): number[] {
  const seen = new Map<string, number>();
  return chart.series.map((series) => {
    if (series.colour !== undefined) {
      return series.colour;
    }
    if (MUTED_NAMES.has(series.name)) {
      return MUTED;
    }
    const index = seen.get(series.name) ?? seen.size % MUTED;
    seen.set(series.name, index);
    return index;
  });
}

// Samples become bins of equal width, the same for all histograms of a chart; heights are shares of a series' samples.
function binned(chart: PlotBlock): Map<Series, { x: number[]; y: number[]; start: number[] }> {
  const histograms = chart.series.filter((series) => series.mark === "histogram");
  const samples = histograms.flatMap((series) => series.x);
  const result = new Map<Series, { x: number[]; y: number[]; start: number[] }>();
  if (samples.length === 0) {
    return result;
  }
  let [low, high] = extent(samples);
  if (low === high) {
    [low, high] = [low - 0.5, high + 0.5];
  }
  const bins = Math.min(Math.max(Math.ceil(Math.sqrt(samples.length)), 5), MOST_BINS);
  const width = (high - low) / bins;
  for (const series of histograms) {
    const counts = new Array<number>(bins).fill(0);
    for (const x of series.x) {
      const bin = Math.min(Math.floor((x - low) / width), bins - 1);
      counts[bin] = counts[bin]! + 1;
    }
    result.set(series, {
      start: counts.map((_, i) => low + i * width),
      x: counts.map((_, i) => low + (i + 1) * width),
      y: counts.map((count) => count / series.x.length),
    });
  }
  return result;
}

function extent(values: Iterable<number>, into: [number, number] = [Infinity, -Infinity]): [number, number] {
  for (const value of values) {
    if (Number.isFinite(value)) {
      into[0] = Math.min(into[0], value);
      into[1] = Math.max(into[1], value);
    }
  }
  return into;
}

function prepareSeries(chart: PlotBlock): PreparedSeries[] {
  const colours = coloursOf(chart);
  const bins = binned(chart);
  let below: number[] | null = null;
  return chart.series.map((series, index): PreparedSeries => {
    const common = {
      name: series.name,
      mark: series.mark,
      colour: colours[index]!,
      shown: true,
      low: series.low,
      high: series.high,
      labels: series.labels,
      start: series.start,
    };
    if (series.mark === "histogram") {
      return { ...common, ...(bins.get(series) ?? { x: [], y: [], start: [] }) };
    }
    if (series.mark === "ecdf") {
      const x = [...series.x].sort((a, b) => a - b);
      return { ...common, x, y: x.map((_, i) => (i + 1) / x.length) };
    }
    if (series.mark === "stacked area") {
      const base: number[] = below ?? series.x.map(() => 0);
      below = base.map((value, i) => value + (series.y?.[i] ?? 0));
      return { ...common, x: series.x, y: below, base };
    }
    return { ...common, x: series.x, y: series.y ?? [] };
  });
}

function padded(range: [number, number], logarithmic: boolean, share: number): [number, number] {
  const [low, high] = range;
  if (!(low <= high)) {
    return [0, 1];
  }
  if (logarithmic) {
    return [10 ** Math.floor(Math.log10(low / 1.1)), 10 ** Math.ceil(Math.log10(high * 1.1))];
  }
  const room = (high - low) * share || Math.abs(high) * 0.1 || 1;
  return [low >= 0 && low - room < 0 ? 0 : low - room, high + room];
}

export function prepare(chart: PlotBlock): PreparedChart {
  const series = prepareSeries(chart);
  const x: [number, number] = [Infinity, -Infinity];
  const y: [number, number] = [Infinity, -Infinity];
  const positive = (values: ArrayLike<number>, logarithmic: boolean): number[] =>
    logarithmic ? Array.from(values).filter((value) => value > 0) : Array.from(values);
  for (const each of series) {
    const horizontal = each.mark === "bars" || each.mark === "spans";
    extent(positive(each.x, chart.x.logarithmic), x);
    extent(positive(each.start ?? (each.mark === "bars" ? [0] : []), chart.x.logarithmic), x);
    extent(positive(each.y, chart.y.logarithmic), y);
    extent(positive(each.low ?? [], false), horizontal ? x : y);
    extent(positive(each.high ?? [], false), horizontal ? x : y);
    if (["histogram", "ecdf", "stacked area"].includes(each.mark)) {
      extent([0], y);
    }
  }
  const rows = chart.y.categories?.length;
  return {
    series,
    x: chart.x.unit === "fraction" && x[0] === 0 && x[1] <= 1.001 && x[1] > 0.9 ? [0, 1] : padded(x, chart.x.logarithmic, rows === undefined ? 0.02 : 0.03),
    y: rows !== undefined ? [-0.6, rows - 0.4] : padded(y, chart.y.logarithmic, chart.annotations.some((note) => note.kind.startsWith("vertical") && note.text !== "") ? 0.16 : 0.06),
  };
}

const toX = (plot: uPlot, value: number): number => plot.valToPos(value, "x", true);
const toY = (plot: uPlot, value: number): number => plot.valToPos(value, "y", true);

function clipToPlot({ ctx, bbox }: uPlot): void {
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
}

// Bands that touch are told apart by shading every other one.
function shadedBands(chart: PlotBlock): Annotation[] {
  const bands = chart.annotations.filter((note) => note.to !== null);
  const touch = bands.some((band, index) => index > 0 && band.from <= bands[index - 1]!.to!);
  return bands.filter((_, index) => !touch || index % 2 === 1);
}

// Below the grid.
export function drawBands(plot: uPlot, chart: PlotBlock): void {
  const { ctx, bbox } = plot;
  ctx.save();
  clipToPlot(plot);
  ctx.fillStyle = faded("s8", 0.15);
  for (const band of shadedBands(chart)) {
    const vertical = band.kind === "vertical band";
    const from = vertical ? toX(plot, band.from) : toY(plot, band.from);
    const to = vertical ? toX(plot, band.to!) : toY(plot, band.to!);
    if (vertical) {
      ctx.fillRect(from, bbox.top, Math.max(to - from, 1), bbox.height);
    } else {
      ctx.fillRect(bbox.left, Math.min(from, to), bbox.width, Math.abs(from - to));
    }
  }
  ctx.restore();
}

// Above the marks: lines, and what bands and lines are called. A name that does not fit before the next one is left out.
export function drawNotes(plot: uPlot, chart: PlotBlock): void {
  const { ctx, bbox } = plot;
  ctx.save();
  clipToPlot(plot);
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  ctx.strokeStyle = colour("s8");
  let end = -Infinity;
  for (const note of chart.annotations) {
    const vertical = note.kind.startsWith("vertical");
    const at = vertical ? toX(plot, note.from) : toY(plot, note.to ?? note.from);
    if (note.to === null) {
      ctx.setLineDash([4, 3]);
      ctx.beginPath();
      ctx.moveTo(vertical ? at : bbox.left, vertical ? bbox.top : at);
      ctx.lineTo(vertical ? at : bbox.left + bbox.width, vertical ? bbox.top + bbox.height : at);
      ctx.stroke();
    }
    const width = ctx.measureText(note.text).width;
    const x = vertical ? Math.min(at + 4, bbox.left + bbox.width - width - 2) : bbox.left + 6;
    const y = vertical ? bbox.top + 2 : at + 3;
    if (!vertical || x > end) {
      ctx.fillStyle = faded("ground", 0.8);
      ctx.fillRect(x - 2, y - 1, width + 4, 13 * devicePixelRatio);
      ctx.fillStyle = colour("soft");
      ctx.fillText(note.text, x, y);
      end = x + width + 6;
    }
  }
  ctx.restore();
}

export function drawMarks(plot: uPlot, chart: PreparedChart): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top - 2, bbox.width, bbox.height + 4);
  ctx.clip();
  for (const series of chart.series) {
    if (!series.shown) {
      continue;
    }
    ctx.strokeStyle = ctx.fillStyle = colour(`s${series.colour}`);
    ctx.lineWidth = 1.6 * devicePixelRatio;
    DRAW[series.mark](plot, series);
  }
  ctx.restore();
}

const DRAW: Record<Series["mark"], (plot: uPlot, series: PreparedSeries) => void> = {
  line: drawLine,
  points: drawPoints,
  bars: (plot, series) => drawBars(plot, series, BAR, true),
  spans: (plot, series) => drawBars(plot, series, 0.9, false),
  histogram: drawHistogram,
  ecdf: drawSteps,
  "stacked area": drawArea,
};

// In each column of pixels the line goes through its lowest and its highest value, so that no spike is lost.
function drawLine(plot: uPlot, series: PreparedSeries): void {
  const { ctx } = plot;
  if (series.low !== undefined && series.high !== undefined) {
    drawBetween(plot, series.x, series.low, series.high, 0.18);
  }
  ctx.beginPath();
  let column = NaN;
  let low = 0;
  let high = 0;
  let last = 0;
  const end = (): void => {
    if (!Number.isNaN(column) && low !== high) {
      ctx.lineTo(column, low);
      ctx.lineTo(column, high);
      ctx.lineTo(column, last);
    }
  };
  for (let i = 0; i < series.x.length; ++i) {
    const value = series.y[i];
    if (value === undefined || value === null || !Number.isFinite(value)) {
      end();
      column = NaN;
      continue;
    }
    const x = Math.round(toX(plot, series.x[i]!));
    const y = toY(plot, value);
    if (x === column) {
      low = Math.min(low, y);
      high = Math.max(high, y);
    } else {
      end();
      ctx[Number.isNaN(column) ? "moveTo" : "lineTo"](x, y);
      column = x;
      low = high = y;
    }
    last = y;
  }
  end();
  ctx.stroke();
}

function drawBetween(plot: uPlot, x: ArrayLike<number>, low: ArrayLike<number>, high: ArrayLike<number>, opacity: number): void {
  const { ctx } = plot;
  ctx.save();
  ctx.globalAlpha = opacity;
  ctx.beginPath();
  for (let i = 0; i < x.length; ++i) {
    ctx.lineTo(toX(plot, x[i]!), toY(plot, high[i]!));
  }
  for (let i = x.length - 1; i >= 0; --i) {
    ctx.lineTo(toX(plot, x[i]!), toY(plot, low[i]!));
  }
  ctx.fill();
  ctx.restore();
}

function drawPoints(plot: uPlot, series: PreparedSeries): void {
  const { ctx } = plot;
  const radius = (series.x.length > 400 ? 1.5 : 2.6) * devicePixelRatio;
  for (let i = 0; i < series.x.length; ++i) {
    const x = toX(plot, series.x[i]!);
    const y = toY(plot, series.y[i]!);
    if (series.low?.[i] !== undefined && series.high?.[i] !== undefined) {
      ctx.fillRect(x - 0.5, toY(plot, series.high[i]!), 1.5, toY(plot, series.low[i]!) - toY(plot, series.high[i]!));
    }
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    ctx.fill();
  }
}

function drawBars(plot: uPlot, series: PreparedSeries, thickness: number, whiskers: boolean): void {
  const { ctx } = plot;
  for (let i = 0; i < series.x.length; ++i) {
    const row = series.y[i]!;
    const from = toX(plot, series.start?.[i] ?? 0);
    const top = toY(plot, row - thickness / 2);
    const height = toY(plot, row + thickness / 2) - top;
    const to = toX(plot, series.x[i]!);
    ctx.fillRect(Math.min(from, to), Math.min(top, top + height), Math.max(Math.abs(to - from), 1), Math.abs(height));
    if (whiskers && series.low?.[i] !== undefined && series.high?.[i] !== undefined) {
      const before = ctx.fillStyle;
      ctx.fillStyle = colour("ink");
      ctx.fillRect(toX(plot, series.low[i]!), toY(plot, row) - 0.75, toX(plot, series.high[i]!) - toX(plot, series.low[i]!), 1.5);
      ctx.fillStyle = before;
    }
  }
}

function drawHistogram(plot: uPlot, series: PreparedSeries): void {
  const { ctx } = plot;
  const line = mixed(colour(`s${series.colour}`), colour("ground"), 0.4);
  for (let i = 0; i < series.x.length; ++i) {
    const left = toX(plot, series.start![i]!);
    const top = toY(plot, series.y[i]!);
    const box = [left, top, toX(plot, series.x[i]!) - left, toY(plot, 0) - top] as const;
    ctx.globalAlpha = 0.75;
    ctx.fillRect(...box);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = line;
    ctx.lineWidth = 1;
    ctx.strokeRect(...box);
  }
}

function drawSteps(plot: uPlot, series: PreparedSeries): void {
  const { ctx } = plot;
  ctx.beginPath();
  let before = toY(plot, 0);
  for (let i = 0; i < series.x.length; ++i) {
    const x = toX(plot, series.x[i]!);
    ctx.lineTo(x, before);
    before = toY(plot, series.y[i]!);
    ctx.lineTo(x, before);
  }
  ctx.lineTo(plot.bbox.left + plot.bbox.width, before);
  ctx.stroke();
}

function drawArea(plot: uPlot, series: PreparedSeries): void {
  drawLine(plot, series);
  if (series.base !== undefined) {
    drawBetween(plot, series.x, series.base, series.y, 0.55);
  }
}
