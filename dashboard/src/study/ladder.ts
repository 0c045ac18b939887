// SPDX-License-Identifier: MIT
// Versions of a training side by side: time, launches, memory, and how near each comes to the roofline.
import type { Cell, Section } from "../server/report_document";
import { barChart, type Estimate, estimate, lineChart, number, section, table, words } from "./blocks";

interface RoofPart {
  intensity: number | null;
  flops_per_s: number | null;
  of_roof: number | null;
}

interface StudyRow {
  name: string;
  preset: string;
  version: number;
  precision: string;
  sequences: number;
  length: number;
  outcome: string;
  reason: string | null;
  step_ns: Estimate | null;
  tokens_per_s: Estimate | null;
  mfu: number | null;
  peak_bytes: number | null;
  speedup: Estimate | null;
}

interface StudyRun {
  work: { operations: number };
  activity: { launches?: number; kernels?: number; steps?: number } | null;
  roofline: { products: { flops_per_s: number } | null; memory: { bytes_per_s: number } | null; step: RoofPart } | null;
}

interface StudyCell {
  request: Pick<StudyRow, "version" | "preset" | "precision" | "sequences" | "length">;
  run: StudyRun | null;
}

export interface StudyDocument {
  rows: StudyRow[];
  cells: StudyCell[];
}

function runOf(study: StudyDocument, row: StudyRow): StudyRun | null {
  const same = ({ request }: StudyCell): boolean =>
    request.version === row.version && request.preset === row.preset && request.precision === row.precision && request.sequences === row.sequences && request.length === row.length;
  return study.cells.find(same)?.run ?? null;
}

// What the device recorded; without a record, unknown.
function perStep(count: number | undefined, run: StudyRun | null): Cell {
  const steps = run?.activity?.steps;
  return number(count === undefined || steps === undefined || steps === 0 ? null : count / steps, "1", null, "not recorded");
}

// One size: the version is name enough.
function shortNames(rows: readonly StudyRow[]): string[] {
  const single = new Set(rows.map((row) => `${row.preset} ${row.precision} ${row.sequences} ${row.length}`)).size < 2;
  return rows.map((row) => (single ? `V${row.version}` : row.name));
}

export function ladderSections(study: StudyDocument): Section[] {
  const names = shortNames(study.rows);
  const runs = study.rows.map((row) => runOf(study, row));
  const reason = (row: StudyRow): string => row.reason ?? (row.outcome === "measured" ? "unknown" : row.outcome);
  const columns: [string, (row: StudyRow, run: StudyRun | null) => Cell][] = [
    ["step", (row) => estimate(row.step_ns, "ns", reason(row))],
    ["speedup", (row) => estimate(row.speedup, "1", "")],
    ["tokens/s", (row) => estimate(row.tokens_per_s, "tokens/s", reason(row))],
    ["operations a step", (row, run) => number(run?.work.operations, "1", null, reason(row))],
    ["launches a step", (_, run) => perStep(run?.activity?.launches, run)],
    ["peak memory", (row) => number(row.peak_bytes, "bytes", null, reason(row))],
    ["of the roofline", (row, run) => number(percent(run?.roofline?.step.of_roof), "%", null, run === null ? reason(row) : "roofs not measured")],
    ["MFU", (row) => number(percent(row.mfu), "%", null, "unknown")],
  ];
  const column = (title: string): Cell[] => study.rows.map((row, i) => columns.find(([name]) => name === title)![1](row, runs[i]!));
  const bars = (id: string, title: string, source: string, caption = ""): Section["blocks"][number] =>
    barChart({ id, title, caption }, column(source).map((value, i) => ({ name: names[i]!, value })));
  return [
    section("versions", "Versions side by side", [
      bars("ladder-step", "Time of a step", "step", "with 95 % interval; shorter is better"),
      bars("ladder-operations", "Operations a step", "operations a step", "what the program enqueues; fused kernels make it fewer"),
      bars("ladder-memory", "Peak memory", "peak memory"),
      bars("ladder-roof", "Share of the roofline", "of the roofline", "100 %: as fast as the measured roofs allow"),
      table("ladder", "", ["version", ...columns.map(([title]) => title)], study.rows.map((row, i) => [words(names[i]!), ...columns.map(([, cell]) => cell(row, runs[i]!))])),
    ]),
    ...rooflineSection(names, runs),
  ];
}

const percent = (share: number | null | undefined): number | null => (share === null || share === undefined ? null : share * 100);

// The roofs of the first run that measured both; those of others of the study are of the same device.
function rooflineSection(names: readonly string[], runs: readonly (StudyRun | null)[]): Section[] {
  const roofs = runs.find((run) => run?.roofline?.products != null && run.roofline.memory !== null)?.roofline;
  const points = runs.flatMap((run, i) => {
    const step = run?.roofline?.step;
    return step?.intensity == null || step.flops_per_s === null ? [] : [{ name: names[i]!, x: step.intensity, y: step.flops_per_s }];
  });
  if (roofs?.products == null || roofs.memory === null || points.length === 0) {
    return [];
  }
  const [flops, bytes] = [roofs.products.flops_per_s, roofs.memory.bytes_per_s];
  const ridge = flops / bytes;
  const x = [Math.min(ridge, ...points.map((point) => point.x)) / 10, ridge, Math.max(ridge, ...points.map((point) => point.x)) * 10];
  return [
    section("roofline", "Roofline", [
      lineChart(
        { id: "ladder-roofline", title: "A step under the roofs", caption: "measured roofs of matrix products and of memory" },
        { title: "FLOP per byte", unit: "FLOP/byte", logarithmic: true },
        { title: "", unit: "FLOP/s", logarithmic: true },
        [
          { name: "roofs", mark: "line", x, y: x.map((intensity) => Math.min(intensity * bytes, flops)) },
          ...points.map((point) => ({ name: point.name, mark: "points" as const, x: [point.x], y: [point.y], labels: [point.name] })),
        ],
      ),
    ]),
  ];
}
