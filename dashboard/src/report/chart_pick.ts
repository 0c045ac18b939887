// SPDX-License-Identifier: MIT
// Which mark the pointer means. Coordinates are CSS pixels within the plot area.
import type uPlot from "uplot";
import type { PreparedChart, PreparedSeries } from "./chart_marks";

const REACH = 28; // pixels

export interface PickedMark {
  series: PreparedSeries;
  x: number;
  y: number;
  label: string;
  left: number;
  top: number;
}

export function nearestMark(plot: uPlot, chart: PreparedChart, left: number, top: number): PickedMark | null {
  let best: PickedMark | null = null;
  let bestDistance = REACH;
  for (const series of chart.series) {
    if (!series.shown) {
      continue;
    }
    const wide = series.mark === "bars" || series.mark === "spans";
    for (let i = 0; i < series.x.length; ++i) {
      const x = series.x[i]!;
      const y = series.y[i];
      if (y === undefined || y === null) {
        continue;
      }
      const end = plot.valToPos(x, "x");
      const start = wide ? plot.valToPos(series.start?.[i] ?? 0, "x") : series.mark === "histogram" ? plot.valToPos(series.start![i]!, "x") : end;
      const at = plot.valToPos(y, "y");
      const across = Math.max(Math.min(start, end) - left, left - Math.max(start, end), 0);
      const along = wide ? Math.max(Math.abs(at - top) - 8, 0) : series.mark === "points" ? Math.abs(at - top) : Math.abs(at - top) * 0.25;
      const distance = Math.hypot(across, along);
      if (distance < bestDistance) {
        bestDistance = distance;
        best = { series, x, y, label: series.labels?.[i] ?? "", left: Math.min(Math.max(left, Math.min(start, end)), Math.max(start, end)), top: at };
      }
    }
  }
  return best;
}
