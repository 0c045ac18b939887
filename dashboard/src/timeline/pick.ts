// SPDX-License-Identifier: MIT
// Which row of the answer lies under the pointer.
import { durationText } from "../text/numbers";
import { counterText } from "./counter_text";
import { type Layout, LANE } from "./layout";
import type { OverlayScene } from "./overlay";
import type { ViewData } from "./view_data";

const REACH = 3; // pixels

// The row, or -1. Of two the nearer one, then the shorter one.
export function pickRow(data: ViewData, layout: Layout, scene: OverlayScene, x: number, y: number): number {
  const place = layout.rows.find((row) => y + scene.scroll >= row.top && y + scene.scroll < row.top + row.height);
  const range = place === undefined ? undefined : data.rows.get(place.track.id);
  if (place === undefined || range === undefined) {
    return -1;
  }
  const lane = place.track.type === "counter" ? -1 : Math.floor((y + scene.scroll - place.top) / LANE);
  const nsPerPixel = scene.span / scene.width;
  const time = scene.from + x * nsPerPixel;
  let best = -1;
  let bestDistance = REACH * nsPerPixel;
  for (let i = range[0]; i < range[1]; ++i) {
    if (lane >= 0 && data.lane[i] !== lane) {
      continue;
    }
    const start = data.start[i]!;
    const end = lane < 0 && i + 1 < range[1] ? data.start[i + 1]! : start + data.duration[i]!;
    const distance = Math.max(start - time, time - end, 0);
    if (distance < bestDistance || (distance === bestDistance && best >= 0 && data.duration[i]! < data.duration[best]!)) {
      best = i;
      bestDistance = distance;
    }
  }
  return best;
}

export function describeRow(data: ViewData, row: number, layout: Layout): string {
  const track = layout.byTrack.get(data.track[row]!)?.track;
  if (track?.type === "counter") {
    return `${track.name}: ${counterText(track, data.low[row], data.high[row])}`;
  }
  const name = data.names[data.name[row]!] ?? "";
  if (data.merged[row] === 1) {
    return `${name} · ${durationText(data.duration[row]!)}`;
  }
  return `${data.merged[row]!.toLocaleString("en-US")} events in a pixel, longest ${name}`;
}
