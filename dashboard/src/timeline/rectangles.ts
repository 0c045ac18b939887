// SPDX-License-Identifier: MIT
// What the painters draw: rectangles in time and in pixels, made of the server's answer once, not at every frame.
import { channels, colour, PALETTE_SIZE } from "../shell/theme";
import { type Layout, LANE } from "./layout";
import type { ViewData } from "./view_data";

export const FLOATS = 4; // of a rectangle: start and duration in parts of the extent, top and height in pixels

export const FILLED = 255; // a colour's fourth byte: a slice, drawn in a tint with a line where it is wide
export const PLAIN = 254; // drawn in its colour
export const PALE = 100; // the area below a counter

export interface Rectangles {
  from: number; // ns
  span: number; // ns; the unit of start and duration
  count: number;
  places: Float32Array;
  colours: Uint8Array;
  row: Int32Array; // of the answer
}

const COUNTER_ROOM = 3; // pixels above a counter's highest value
const THIN = 1.5; // pixels: the least height of a counter's line

// A name keeps its colour from one answer to the next, and in two timelines.
export function colourIndex(name: string): number {
  let hash = 2166136261;
  for (let i = 0; i < name.length; ++i) {
    hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  }
  return (hash >>> 8) % PALETTE_SIZE;
}

class Builder {
  readonly places: Float32Array;
  readonly colours: Uint8Array;
  readonly row: Int32Array;
  count = 0;

  constructor(
    most: number,
    private readonly from: number,
    private readonly span: number,
  ) {
    this.places = new Float32Array(most * FLOATS);
    this.colours = new Uint8Array(most * 4);
    this.row = new Int32Array(most);
  }

  add(start: number, duration: number, top: number, height: number, rgb: readonly number[], kind: number, row: number): void {
    const at = this.count++;
    this.places[at * FLOATS] = (start - this.from) / this.span;
    this.places[at * FLOATS + 1] = duration / this.span;
    this.places[at * FLOATS + 2] = top;
    this.places[at * FLOATS + 3] = height;
    this.colours[at * 4] = rgb[0]!;
    this.colours[at * 4 + 1] = rgb[1]!;
    this.colours[at * 4 + 2] = rgb[2]!;
    this.colours[at * 4 + 3] = kind;
    this.row[at] = row;
  }
}

export function rectanglesOf(data: ViewData, layout: Layout): Rectangles {
  const palette = Array.from({ length: PALETTE_SIZE }, (_, index) => channels(colour(`s${index}`)));
  const names = data.names.map(colourIndex);
  const muted = channels(colour("s8"));
  const builder = new Builder(data.count * 2, data.from, data.to - data.from);
  for (const [track, [first, end]] of data.rows) {
    const place = layout.byTrack.get(track);
    if (place === undefined) {
      continue;
    }
    if (place.track.type === "counter") {
      addCounter(builder, data, place, first, end, palette[colourIndex(place.track.name)]!);
      continue;
    }
    for (let i = first; i < end; ++i) {
      const top = place.top + (data.lane[i]! + 1) * LANE;
      if (top > place.top + place.height) {
        continue;
      }
      const name = data.name[i]!;
      const rgb = name < 0 ? muted : palette[names[name] ?? 0]!;
      builder.add(data.start[i]!, data.duration[i]!, top - LANE, LANE - 2, rgb, data.merged[i] === 1 ? FILLED : PLAIN, i);
    }
  }
  return { from: data.from, span: data.to - data.from, count: builder.count, places: builder.places, colours: builder.colours, row: builder.row };
}

// Below the last value an area, between the lowest and the highest a bar: no spike is lost, however narrow its pixel.
function addCounter(builder: Builder, data: ViewData, place: Layout["rows"][number], first: number, end: number, rgb: readonly number[]): void {
  const low = Math.min(place.track.min ?? 0, 0);
  const high = Math.max(place.track.max ?? 1, low + Number.MIN_VALUE);
  const bottom = place.top + place.height;
  const yOf = (value: number): number => bottom - ((value - low) / (high - low)) * (place.height - COUNTER_ROOM);
  for (let i = first; i < end; ++i) {
    const last = data.last[i];
    const least = data.low[i];
    const most = data.high[i];
    if (last === null || last === undefined || least === null || least === undefined || most === null || most === undefined) {
      continue;
    }
    const until = i + 1 < end ? data.start[i + 1]! - data.start[i]! : data.duration[i]!;
    const level = yOf(last);
    builder.add(data.start[i]!, until, level, bottom - level, rgb, PALE, i);
    const top = yOf(most);
    builder.add(data.start[i]!, data.merged[i] === 1 ? until : data.duration[i]!, top, Math.max(yOf(least) - top, THIN), rgb, PLAIN, i);
  }
}
