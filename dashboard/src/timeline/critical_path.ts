// SPDX-License-Identifier: MIT
// The critical path over the slices: a bar on top of each slice that it goes through, a line where it waits, and lines from track to track.
import type { CriticalPath } from "../server/documents";
import { colour } from "../shell/theme";
import { durationText, percentText } from "../text/numbers";
import { type Layout, LANE } from "./layout";
import { firstReaching } from "./view_data";

const BAR = 4; // pixels
const HALO = 1; // of the ground around a bar or a line, so that it is seen on any slice
const LEAST_LINK = 2; // pixels from one line to the next

export interface PathView {
  from: number;
  span: number;
  width: number;
  height: number;
  scroll: number;
  layout: Layout;
}

type Context = CanvasRenderingContext2D;
type Kind = CriticalPath["kinds"][number];

// The kind that most of the window is of.
const mostOf = (path: CriticalPath): Kind | undefined => [...path.kinds].sort((a, b) => b.total_ns - a.total_ns)[0];

// "critical path: 1.2 ms of 1.5 ms, mostly computation"
export function pathText(path: CriticalPath): string {
  const most = mostOf(path);
  const mostly = most === undefined || most.total_ns === 0 ? "" : `, mostly ${most.words}`;
  return `${path.title}: ${durationText(path.length_ns)} of ${durationText(path.window_ns)}${mostly}`;
}

// "computation 81.0 %, launch delay 19.0 %", the longest first.
export function pathShares(path: CriticalPath): string {
  const kinds = path.kinds.filter((kind) => kind.total_ns > 0).sort((a, b) => b.total_ns - a.total_ns);
  const shares = kinds.map((kind) => `${kind.words} ${percentText(kind.total_ns / path.window_ns).replace(" ", "\u00a0")}`);
  const lacks = path.window_ns - path.segments_ns;
  return `${shares.join(", ")}${lacks > 0 ? `; segments of ${durationText(lacks)} in all are too short to be drawn` : ""}`;
}

interface Bar {
  left: number;
  right: number;
  top: number;
  waits: boolean;
}

const lineOf = (bar: Bar): number => bar.top + (bar.waits ? LANE / 2 - 1 : 0);

// What is seen of a path: bars, those of one row that touch as one, and between rows the ends of lines.
function barsOf(path: CriticalPath, view: PathView): { bars: Bar[]; links: number[][] } {
  const { start, duration, track, lane, event } = path.segments;
  const bars: Bar[] = [];
  const links: number[][] = [];
  const xOf = (ns: number): number => Math.min(Math.max(((ns - view.from) / view.span) * view.width, -8), view.width + 8);
  let before: Bar | null = null;
  for (let i = firstReaching(start, [0, start.length], view.from); i < start.length && start[i]! <= view.from + view.span; ++i) {
    const row = track[i] === null ? undefined : view.layout.byTrack.get(track[i]!);
    if (row === undefined || lane[i]! * LANE >= row.height) {
      continue;
    }
    const bar: Bar = { left: xOf(start[i]!), right: xOf(start[i]! + duration[i]!), top: row.top + lane[i]! * LANE - view.scroll, waits: event[i] === null };
    if (before !== null && before.top === bar.top && before.waits === bar.waits && bar.left - before.right < 1) {
      before.right = Math.max(before.right, bar.right);
      continue;
    }
    const link = links[links.length - 1];
    if (before !== null && before.top !== bar.top && (link === undefined || bar.left - link[2]! >= LEAST_LINK)) {
      links.push([before.right, lineOf(before), bar.left, lineOf(bar)]);
    }
    bars.push(bar);
    before = bar;
  }
  return { bars, links };
}

function drawBars(context: Context, bars: readonly Bar[], view: PathView, grown: number): void {
  for (const { left, right, top, waits } of bars) {
    if (top > -LANE && top < view.height) {
      const wide = Math.max(right - left, 1);
      const [tall, y] = waits ? [1, top + LANE / 2 - 1] : [BAR, top - BAR + 1];
      context.fillRect(left - grown, y - grown, wide + 2 * grown, tall + 2 * grown);
    }
  }
}

function drawLinks(context: Context, links: readonly number[][], thick: number): void {
  context.lineWidth = thick;
  context.beginPath();
  for (const [x0, y0, x1, y1] of links) {
    context.moveTo(x0!, y0!);
    context.lineTo(x1!, y1!);
  }
  context.stroke();
}

export function drawPath(context: Context, path: CriticalPath, view: PathView): void {
  const { bars, links } = barsOf(path, view);
  for (const [tone, grown] of [["ground", HALO], ["ink", 0]] as const) {
    context.fillStyle = context.strokeStyle = colour(tone);
    drawLinks(context, links, 1.5 + 2 * grown);
    drawBars(context, bars, view, grown);
  }
}
