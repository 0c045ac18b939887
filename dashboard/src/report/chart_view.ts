// SPDX-License-Identifier: MIT
// A chart of a report: uPlot has axes, zoom and cursor, chart_marks.ts draws what lies between them.
import uPlot from "uplot";
import type { Axis, PlotBlock } from "../server/report_document";
import { copyText, csvText, saveCanvas } from "../shell/copy";
import { button, element } from "../shell/element";
import { colour, onTheme } from "../shell/theme";
import { textInUnit } from "../text/numbers";
import { drawBands, drawMarks, drawNotes, prepare, type PreparedChart, type PreparedSeries } from "./chart_marks";
import { nearestMark } from "./chart_pick";

const HEIGHT = 260;
const ROW = 24; // pixels of a category
const LONGEST_CATEGORY = 260; // pixels
const WHOLE = Array.from({ length: 7 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat(); // between ticks of counts

function tickText(axis: Axis, value: number): string {
  if (axis.categories !== undefined) {
    return axis.categories[value] ?? "";
  }
  if (axis.unit === "fraction") {
    return `${Number((value * 100).toPrecision(3))} %`;
  }
  return textInUnit(value, axis.unit).replace(/(\.\d*?)0+(?=\D|$)/u, "$1").replace(/\.(?=\D|$)/u, "");
}

function categoryWidth(chart: PlotBlock): number {
  const longest = Math.max(...(chart.y.categories ?? []).map((name) => name.length));
  return Math.min(longest * 6.6 + 16, LONGEST_CATEGORY);
}

function axisOptions(axis: Axis, side: 0 | 1, size: number): uPlot.Axis {
  const categories = axis.categories;
  const most = Math.floor(size / 6.6);
  const shortened = (text: string): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  return {
    stroke: () => colour("soft"),
    grid: { stroke: () => colour("grid"), width: 1, show: categories === undefined },
    ticks: { stroke: () => colour("line"), width: 1, size: 4 },
    font: "11px system-ui, sans-serif",
    ...(side === 1 && { size }),
    ...(categories !== undefined && { splits: () => categories.map((_, index) => index) }),
    ...(side === 0 && { space: 80, size: 30 }),
    ...(axis.whole === true && { incrs: WHOLE }),
    values: (_: uPlot, splits: (number | null)[]) =>
      splits.map((value) => (value === null ? "" : categories === undefined ? tickText(axis, value) : shortened(tickText(axis, value)))),
  };
}

function scaleOptions(axis: Axis, range: [number, number], reversed: boolean): uPlot.Scale {
  return {
    time: false,
    auto: false,
    ...(axis.logarithmic ? { distr: 3 as const, log: 10 as const } : {}),
    ...(reversed ? { dir: -1 as const } : {}),
    min: range[0],
    max: range[1],
  };
}

function optionsOf(chart: PlotBlock, prepared: PreparedChart, width: number, tooltip: HTMLElement): uPlot.Options {
  const categories = chart.y.categories;
  const size = categories === undefined ? 84 : categoryWidth(chart);
  return {
    width,
    height: categories === undefined ? HEIGHT : categories.length * ROW + 44,
    padding: [10, 16, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: true }, points: { show: false } },
    scales: { x: scaleOptions(chart.x, prepared.x, false), y: scaleOptions(chart.y, prepared.y, categories !== undefined) },
    axes: [axisOptions(chart.x, 0, 0), axisOptions(chart.y, 1, size)],
    series: [{}, { show: false }],
    hooks: {
      drawClear: [(plot) => drawBands(plot, chart)],
      draw: [(plot) => drawMarks(plot, prepared), (plot) => drawNotes(plot, chart)],
      setCursor: [(plot) => showTooltip(plot, chart, prepared, tooltip)],
    },
  };
}

function showTooltip(plot: uPlot, chart: PlotBlock, prepared: PreparedChart, tooltip: HTMLElement): void {
  const { left, top } = plot.cursor;
  const hit = left === undefined || top === undefined || left < 0 ? null : nearestMark(plot, prepared, left, top);
  tooltip.hidden = hit === null;
  if (hit === null) {
    return;
  }
  const x = textInUnit(hit.x, chart.x.unit);
  const y = chart.y.categories?.[Math.round(hit.y)] ?? textInUnit(hit.y, chart.y.unit);
  const words = hit.label !== "" ? [hit.label] : chart.y.categories === undefined ? [x, y] : [y, x];
  tooltip.textContent = [hit.series.name, ...words].filter((word) => word !== "").join(" · ");
  const room = plot.over.clientWidth;
  tooltip.style.left = `${Math.min(hit.left + 10, Math.max(room - tooltip.offsetWidth - 4, 0))}px`;
  tooltip.style.top = `${Math.max(hit.top - 30, 0)}px`;
}

function legendOf(prepared: PreparedChart, redraw: () => void): HTMLElement | null {
  const named = new Map<string, PreparedSeries[]>();
  for (const series of prepared.series) {
    if (series.name !== "") {
      named.set(series.name, [...(named.get(series.name) ?? []), series]);
    }
  }
  if (named.size < 2) {
    return null;
  }
  const items = [...named].map(([name, list]) => {
    const item = button("", toggle, { class: "key", "aria-pressed": "true" });
    item.append(element("i", { class: `c${list[0]!.colour}`, "aria-hidden": "true" }), name);
    function toggle(): void {
      for (const series of list) {
        series.shown = !series.shown;
      }
      item.setAttribute("aria-pressed", String(list[0]!.shown));
      redraw();
    }
    return item;
  });
  return element("div", { class: "legend" }, ...items);
}

function chartCsv(chart: PlotBlock): string {
  const rows = chart.series.flatMap((series) =>
    series.x.map((x, i) => [series.name, series.labels?.[i], series.start?.[i], x, series.y?.[i], series.low?.[i], series.high?.[i]]),
  );
  const unit = (axis: Axis): string => (axis.unit === "1" ? axis.title : `${axis.title} (${axis.unit})`);
  return csvText(["series", "label", "start", unit(chart.x), unit(chart.y), "low", "high"], rows);
}

function describe(chart: PlotBlock): string {
  const names = [...new Set(chart.series.map((series) => series.name).filter((name) => name !== ""))];
  const axes = [chart.x.title, chart.y.title].filter((title) => title !== "").join(", ");
  return `${chart.title}. ${axes}. ${names.join(", ")}. Its numbers: button CSV.`;
}

export function chartView(chart: PlotBlock): HTMLElement {
  const caption = element("figcaption", {}, element("b", {}, chart.title), chart.caption);
  if (chart.no_data !== null) {
    return element("figure", { id: `plot-${chart.id}` }, caption, element("p", { class: "state empty" }, `No data: ${chart.no_data}`));
  }
  const prepared = prepare(chart);
  const tooltip = element("div", { class: "tip", hidden: true });
  const place = element("div", { class: "plot", role: "img", "aria-label": describe(chart) });
  let plot: uPlot | null = null;
  const redraw = (): void => plot?.redraw(false);
  const legend = legendOf(prepared, redraw);
  const save = (): void => {
    if (plot !== null) {
      saveCanvas(onGround(plot.ctx.canvas), chart.id);
    }
  };
  const actions = element(
    "div",
    { class: "actions" },
    button("PNG", save, { class: "quiet", "aria-label": `Save ${chart.title} as a picture` }),
    button("CSV", () => void copyText(chartCsv(chart), "Chart"), { class: "quiet", "aria-label": `Copy ${chart.title} as CSV` }),
  );
  const figure = element("figure", { id: `plot-${chart.id}` }, element("div", { class: "figure-bar" }, caption, actions), legend, place);

  const draw = (width: number): void => {
    if (plot === null) {
      plot = new uPlot(optionsOf(chart, prepared, width, tooltip), [prepared.x, prepared.y], place);
      plot.over.append(tooltip);
      place.append(element("div", { class: "axis-title" }, chart.x.title));
    } else if (plot.width !== width) {
      plot.setSize({ width, height: plot.height });
    }
  };
  new ResizeObserver((entries) => {
    const width = Math.floor(entries[0]?.contentRect.width ?? 0);
    if (width > 0) {
      draw(width);
    }
  }).observe(place);
  onTheme(figure, redraw);
  return figure;
}

// A picture without a ground is black where a viewer's ground is.
export function onGround(canvas: HTMLCanvasElement): HTMLCanvasElement {
  const copy = element("canvas", { width: canvas.width, height: canvas.height });
  const context = copy.getContext("2d")!;
  context.fillStyle = colour("ground");
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(canvas, 0, 0);
  return copy;
}
