// SPDX-License-Identifier: MIT
// Exposed communication of a sharded training: by rank, step by step, and what each change of a sweep did to it.
import type { Cell, Section } from "../server/report_document";
import { barChart, intervalOf, lineChart, number, partsChart, section, table, words } from "./blocks";

interface Shares {
  window_ns: number;
  computation_ns: number;
  exposed_communication_ns: number;
  exposed_copy_ns: number;
  idle_ns: number;
  hidden_communication_ns: number;
}

interface OverlapRun {
  kind: "overlap_run";
  figures: {
    ranks: { rank: number; mean: Shares; waited_ns: number | null; last: number | null }[];
    rank_steps: { rank: number; step: number; shares: Shares }[];
  } | null;
  ranks: { rank: number; step_p50_ns: number | null; peak_bytes: number | null; device: string }[];
}

interface OverlapSweep {
  kind: "overlap_sweep";
  points: {
    change: string;
    failure: string;
    exposed_communication_ns: number[];
    step_median_ns: number | null;
    step_interval_ns: [number, number] | null;
    verdict?: string;
    words?: string;
    ratio?: number | null;
    ratio_interval?: [number, number] | null;
  }[];
}

export type OverlapDocument = OverlapRun | OverlapSweep;

export const overlapSections = (document: OverlapDocument): Section[] =>
  document.kind === "overlap_sweep" ? sweepSections(document) : document.figures === null ? [] : runSections(document, document.figures);

function runSections(run: OverlapRun, figures: NonNullable<OverlapRun["figures"]>): Section[] {
  const ranks = figures.ranks;
  const names = ranks.map((rank) => `rank ${rank.rank}`);
  const part = (name: string, key: keyof Shares) => ({ name, values: ranks.map((rank) => rank.mean[key]) });
  const facts = (rank: number): OverlapRun["ranks"][number] | undefined => run.ranks.find((each) => each.rank === rank);
  return [
    section("exposed", "Exposed communication", [
      partsChart({ id: "overlap-parts", title: "A step of each rank", caption: "mean over the recorded steps" }, names, [
        part("computation", "computation_ns"),
        part("exposed communication", "exposed_communication_ns"),
        part("exposed copies", "exposed_copy_ns"),
        part("idle", "idle_ns"),
      ]),
      lineChart(
        { id: "overlap-steps", title: "Exposed communication, step by step" },
        { title: "recorded step", unit: "1", logarithmic: false, whole: true },
        { title: "", unit: "ns", logarithmic: false },
        ranks.flatMap(({ rank }) => {
          const steps = figures.rank_steps.filter((step) => step.rank === rank);
          const line = { name: `rank ${rank}`, x: steps.map((step) => step.step), y: steps.map((step) => step.shares.exposed_communication_ns) };
          return [
            { ...line, mark: "line" as const },
            { ...line, mark: "points" as const },
          ];
        }),
      ),
      table(
        "overlap-ranks",
        "",
        ["rank", "device", "median step", "exposed communication", "hidden communication", "computation", "idle", "waited for others", "came last", "peak memory"],
        ranks.map((rank): Cell[] => [
          number(rank.rank, "1"),
          words(facts(rank.rank)?.device),
          number(facts(rank.rank)?.step_p50_ns, "ns"),
          number(rank.mean.exposed_communication_ns, "ns"),
          number(rank.mean.hidden_communication_ns, "ns"),
          number(rank.mean.computation_ns, "ns"),
          number(rank.mean.idle_ns, "ns"),
          number(rank.waited_ns, "ns"),
          number(rank.last, "1"),
          number(facts(rank.rank)?.peak_bytes, "bytes"),
        ]),
        "Times are means of a step. “came last”: collectives to which this rank came last.",
      ),
    ]),
  ];
}

// As the report has it: the median over the runs of a change.
function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length === 0 ? null : sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function sweepSections(sweep: OverlapSweep): Section[] {
  const points = sweep.points;
  const name = (point: OverlapSweep["points"][number]): string => (point.change === "" ? "as it is" : point.change);
  const reason = (point: OverlapSweep["points"][number]): string => (point.failure === "" ? "unknown" : point.failure);
  const step = (point: OverlapSweep["points"][number]): Cell => number(point.step_median_ns, "ns", intervalOf(point.step_interval_ns), reason(point));
  const exposed = (point: OverlapSweep["points"][number]): Cell => number(median(point.exposed_communication_ns), "ns", null, reason(point));
  return [
    section("changes", "What each change did", [
      barChart({ id: "overlap-changes", title: "Median step", caption: "with 95 % interval; of the slowest rank" }, points.map((point) => ({ name: name(point), value: step(point) }))),
      barChart({ id: "overlap-exposed", title: "Exposed communication of a step" }, points.map((point) => ({ name: name(point), value: exposed(point) }))),
      table(
        "overlap-changes-table",
        "",
        ["change", "median step", "exposed communication", "over as it is", "verdict", "why"],
        points.map((point) => [
          words(name(point)),
          step(point),
          exposed(point),
          point.change === "" ? words("") : number(point.ratio, "1", intervalOf(point.ratio_interval), "not shown"),
          words(point.verdict),
          words(point.words ?? point.failure),
        ]),
      ),
    ]),
  ];
}
