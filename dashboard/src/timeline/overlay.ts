// SPDX-License-Identifier: MIT
// What lies over and under the slices: grid, names, idle gaps, selection, flows. Drawn on 2D canvases.
import type { CriticalPath, Gap, SearchMatch } from "../server/documents";
import { colour, faded } from "../shell/theme";
import { durationText } from "../text/numbers";
import { drawPath, type PathView } from "./critical_path";
import { LANE } from "./layout";
import { FONT, fittedText, widthOf } from "./overlay_text";
import { type Tick, ticksOf } from "./time_axis";
import type { ViewData } from "./view_data";

export const LEAST_NAME = 34; // pixels of a slice that bears its name
export const MOST_NAMES = 600; // of a frame
export const AXIS = 24; // pixels
const TICK_ROOM = 96; // pixels
const TICK_GAP = 8; // pixels between the texts of two ticks

export interface RelativeGap extends Gap {
  start: number; // ns since the start of the trace
  duration: number;
}

export interface Selected {
  event: number;
  track: number;
  lane: number;
  start: number;
  duration: number;
}

export interface Flow {
  track: number;
  start: number;
}

export interface OverlayScene extends PathView {
  data: ViewData | null;
  gaps: readonly RelativeGap[];
  causes: ReadonlyMap<string, number>; // colour of each cause of a gap
  selected: Selected | null;
  flows: readonly Flow[];
  range: readonly [number, number] | null;
  matches: readonly SearchMatch[];
  query: string;
  pointer: number | null; // pixels
  paths: readonly CriticalPath[]; // that are shown
}

type Context = CanvasRenderingContext2D;

export const ticksOfScene = (scene: OverlayScene): Tick[] => ticksOf(scene.from, scene.from + scene.span, scene.width / TICK_ROOM);

export function drawAxis(context: Context, scene: OverlayScene, ratio: number): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, scene.width, AXIS);
  context.font = FONT;
  context.textBaseline = "middle";
  let end = 0; // of the text before
  for (const tick of ticksOfScene(scene)) {
    const x = Math.round(((tick.at - scene.from) / scene.span) * scene.width) + 0.5;
    context.fillStyle = colour("line");
    context.fillRect(x, AXIS - 6, 1, 6);
    const wide = widthOf(context, tick.text);
    const left = Math.min(x + 3, scene.width - wide - 2);
    if (left >= end) {
      context.fillStyle = colour("soft");
      context.fillText(tick.text, left, AXIS / 2 - 2);
      end = left + wide + TICK_GAP;
    }
  }
}

// Behind the rectangles: grid lines, and gaps in the colour of their cause.
export function drawUnder(context: Context, scene: OverlayScene, ratio: number): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, scene.width, scene.height);
  context.fillStyle = colour("grid");
  for (const tick of ticksOfScene(scene)) {
    context.fillRect(Math.round(xOf(scene, tick.at)), 0, 1, scene.height);
  }
  for (const group of scene.layout.groups) {
    context.fillRect(0, group.top - scene.scroll, scene.width, 1);
  }
  for (const gap of scene.gaps) {
    const row = scene.layout.byTrack.get(gap.track);
    if (row !== undefined) {
      drawGap(context, scene, gap, row.top - scene.scroll, row.height);
    }
  }
}

const xOf = (scene: OverlayScene, ns: number): number => ((ns - scene.from) / scene.span) * scene.width;

// Stripes, so that a gap is told from a slice without its colour.
function drawGap(context: Context, scene: OverlayScene, gap: RelativeGap, top: number, height: number): void {
  const left = Math.max(xOf(scene, gap.start), -2);
  const right = Math.min(xOf(scene, gap.start + gap.duration), scene.width + 2);
  if (right < 0 || left > scene.width || top > scene.height || top + height < 0) {
    return;
  }
  const width = Math.max(right - left, 1);
  const tone = colour(`s${scene.causes.get(gap.cause) ?? 8}`);
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.globalAlpha = 0.16;
  context.fillStyle = tone;
  context.fillRect(left, top, width, height);
  context.globalAlpha = 0.6;
  context.strokeStyle = tone;
  context.beginPath();
  for (let x = left - (left % 8) - height; x < right; x += 8) {
    context.moveTo(x, top + height);
    context.lineTo(x + height, top);
  }
  context.stroke();
  context.restore();
}

// Over the rectangles: what the reader chose, and where the pointer is.
export function drawOver(context: Context, scene: OverlayScene, ratio: number): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  for (const path of scene.paths) {
    drawPath(context, path, scene);
  }
  drawMatches(context, scene);
  drawRange(context, scene);
  if (scene.selected !== null) {
    drawSelected(context, scene, scene.selected);
  }
  if (scene.pointer !== null) {
    context.fillStyle = colour("soft");
    context.globalAlpha = 0.5;
    context.fillRect(Math.round(scene.pointer), 0, 1, scene.height);
    context.globalAlpha = 1;
  }
}

export function drawNames(context: Context, scene: OverlayScene, data: ViewData): void {
  context.font = FONT;
  context.textBaseline = "middle";
  context.fillStyle = colour("ink");
  const leastNs = (LEAST_NAME / scene.width) * scene.span;
  let drawn = 0;
  for (const [track, [first, end]] of data.rows) {
    const row = scene.layout.byTrack.get(track);
    if (row === undefined || row.track.type === "counter" || row.top - scene.scroll > scene.height || row.top + row.height < scene.scroll) {
      continue;
    }
    for (let i = first; i < end && drawn < MOST_NAMES; ++i) {
      if (data.duration[i]! < leastNs || data.merged[i] !== 1) {
        continue;
      }
      const left = Math.max(xOf(scene, data.start[i]!), 0);
      const right = Math.min(xOf(scene, data.start[i]! + data.duration[i]!), scene.width);
      const y = row.top + data.lane[i]! * LANE - scene.scroll;
      if (right - left < LEAST_NAME || y < -LANE || y > scene.height || data.lane[i]! * LANE >= row.height) {
        continue;
      }
      context.fillText(fittedText(context, data.names[data.name[i]!] ?? "", right - left - 8), left + 4, y + LANE / 2 - 1);
      ++drawn;
    }
  }
}

function outline(context: Context, scene: OverlayScene, track: number, lane: number, start: number, duration: number): void {
  const row = scene.layout.byTrack.get(track);
  if (row === undefined) {
    return;
  }
  const left = xOf(scene, start);
  const width = Math.max((duration / scene.span) * scene.width, 3);
  if (left > scene.width || left + width < 0) {
    return;
  }
  const height = row.track.type === "counter" ? row.height : LANE - 2;
  context.strokeRect(Math.max(left, -4) - 1, row.top + lane * LANE - scene.scroll - 1, Math.min(width, scene.width + 8) + 2, height + 2);
}

// What is loaded and bears the text that was searched.
function drawMatches(context: Context, scene: OverlayScene): void {
  const { data } = scene;
  if (scene.query === "" || data === null) {
    return;
  }
  const text = scene.query.toLowerCase();
  const hits = new Set(data.names.flatMap((name, index) => (name.toLowerCase().includes(text) ? [index] : [])));
  context.strokeStyle = colour("ink");
  context.lineWidth = 1;
  let drawn = 0;
  for (const [track, [first, end]] of hits.size > 0 ? data.rows : []) {
    if (scene.layout.byTrack.get(track)?.track.type !== "slices") {
      continue;
    }
    for (let i = first; i < end && drawn < MOST_NAMES; ++i) {
      if (hits.has(data.name[i]!)) {
        outline(context, scene, track, data.lane[i]!, data.start[i]!, data.duration[i]!);
        ++drawn;
      }
    }
  }
}

function drawRange(context: Context, scene: OverlayScene): void {
  if (scene.range === null) {
    return;
  }
  const left = xOf(scene, scene.range[0]);
  const right = xOf(scene, scene.range[1]);
  context.fillStyle = faded("s0", 0.18);
  context.fillRect(left, 0, right - left, scene.height);
  context.fillStyle = colour("s0");
  context.fillRect(left, 0, 1, scene.height);
  context.fillRect(right, 0, 1, scene.height);
  const text = durationText(scene.range[1] - scene.range[0]);
  const middle = (Math.max(left, 0) + Math.min(right, scene.width)) / 2;
  context.font = FONT;
  label(context, text, Math.max(middle - widthOf(context, text) / 2, 2), 4);
}

function label(context: Context, text: string, x: number, y: number): void {
  context.font = FONT;
  context.textBaseline = "top";
  context.fillStyle = colour("ground");
  context.fillRect(x - 3, y - 2, widthOf(context, text) + 6, 15);
  context.fillStyle = colour("ink");
  context.fillText(text, x, y);
}

function drawSelected(context: Context, scene: OverlayScene, selected: Selected): void {
  context.strokeStyle = colour("ink");
  context.lineWidth = 2;
  outline(context, scene, selected.track, selected.lane, selected.start, selected.duration);
  const from = scene.layout.byTrack.get(selected.track);
  if (from === undefined) {
    return;
  }
  context.lineWidth = 1.5;
  context.strokeStyle = context.fillStyle = colour("s3");
  for (const flow of scene.flows) {
    const to = scene.layout.byTrack.get(flow.track);
    if (to !== undefined) {
      const forward = flow.start >= selected.start;
      const x0 = xOf(scene, forward ? selected.start + Math.min(selected.duration, Math.max(flow.start - selected.start, 0)) : selected.start);
      const y0 = from.top + selected.lane * LANE + LANE / 2 - scene.scroll;
      drawArrow(context, x0, y0, xOf(scene, flow.start), to.top + LANE / 2 - scene.scroll, forward);
    }
  }
}

function drawArrow(context: Context, x0: number, y0: number, x1: number, y1: number, forward: boolean): void {
  const bend = Math.max(Math.abs(x1 - x0) / 2, 24);
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0 + (forward ? bend : -bend), y0, x1 - (forward ? bend : -bend), y1, x1, y1);
  context.stroke();
  const [x, y, away] = forward ? [x1, y1, -1] : [x0, y0, 1];
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + away * 7, y - 4);
  context.lineTo(x + away * 7, y + 4);
  context.fill();
}
