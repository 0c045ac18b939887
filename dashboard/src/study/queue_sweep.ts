// SPDX-License-Identifier: MIT
// A workload over numbers of streams: throughput, efficiency and latency.
import type { Axis, Interval, Section } from "../server/report_document";
import { type Estimate, estimate, intervalOf, lineChart, number, section, table, words } from "./blocks";

interface ScalingRow {
  streams: number;
  used: number;
  throughput: Estimate | null;
  per_stream: Estimate | null;
  efficiency: number | null;
  efficiency_interval: [number, number] | Interval | null;
  gain_per_doubling: number | null;
}

interface SweepPoint {
  request: { streams: number };
  work: { unit: string } | null;
  figures: { latency: { p50_ns: Estimate | null } | null; peak_bytes: number | null } | null;
}

export interface QueueSweepDocument {
  workload: string;
  scaling: { rows: ScalingRow[]; saturation_streams: number | null; saturation: string } | null;
  points: SweepPoint[];
}

function asInterval(value: ScalingRow["efficiency_interval"]): Interval | null {
  return Array.isArray(value) ? intervalOf(value) : value;
}

export function queueSweepSections(sweep: QueueSweepDocument): Section[] {
  const rows = sweep.scaling?.rows ?? [];
  const unit = `${sweep.points.find((point) => point.work !== null)?.work?.unit ?? "units"}/s`;
  const streams: Axis = { title: "streams", unit: "1", logarithmic: false, whole: true };
  const axis = (of: string): Axis => ({ title: "", unit: of, logarithmic: false });
  const over = (id: string, title: string, of: string, x: number[], values: (number | null | undefined)[], intervals: (Interval | null | undefined)[], caption = "") =>
    lineChart({ id, title, caption }, streams, axis(of), [
      { name: "", mark: "line", x, y: values },
      { name: "", mark: "points", x, y: values, intervals },
    ]);
  const x = rows.map((row) => row.streams);
  const latencies = sweep.points.map((point) => point.figures?.latency?.p50_ns);
  const saturated = sweep.scaling?.saturation_streams;
  return [
    section("streams", "Over streams", [
      over("sweep-throughput", "Throughput", unit, x, rows.map((row) => row.throughput?.value), rows.map((row) => row.throughput?.interval), "with 95 % interval"),
      over("sweep-efficiency", "Scaling efficiency", "fraction", x, rows.map((row) => row.efficiency), rows.map((row) => asInterval(row.efficiency_interval)), "throughput of a stream over that of the first row"),
      over("sweep-latency", "Median iteration", "ns", sweep.points.map((point) => point.request.streams), latencies.map((latency) => latency?.value), latencies.map((latency) => latency?.interval)),
      table(
        "sweep",
        "",
        ["streams", "used", "throughput", "of a stream", "efficiency", "median iteration", "peak memory"],
        rows.map((row) => {
          const point = sweep.points.find((each) => each.request.streams === row.streams);
          const share = asInterval(row.efficiency_interval);
          return [
            number(row.streams, "1"),
            number(row.used, "1"),
            estimate(row.throughput, unit),
            estimate(row.per_stream, unit),
            number(row.efficiency, "fraction", share),
            estimate(point?.figures?.latency?.p50_ns, "ns"),
            number(point?.figures?.peak_bytes, "bytes"),
          ];
        }),
      ),
      { kind: "facts", facts: { workload: words(sweep.workload), ...(saturated == null ? { saturation: words(`not shown: ${sweep.scaling?.saturation ?? "no scaling was computed"}`) } : { "saturated from": words(`${saturated} streams`) }) } },
    ]),
  ];
}
