// SPDX-License-Identifier: MIT
// What WebGL draws: rectangles in time and in pixels, computed from the server's answer once, not at every frame.
import { channels, colour, PALETTE_SIZE } from "../shell/theme";
import { type Layout, LANE, type TrackRow } from "./layout";
import type { ViewData } from "./view_data";

export const FLOATS = 4; // of a rectangle: start and duration in parts of the extent, top and height in pixels

const FILLED = 255; // a colour's fourth byte: a slice, drawn in a tint with a line where it is wide
const PLAIN = 254; // drawn in its colour
const PALE = 100; // the area below a counter

export interface Rectangles {
  from: number; // ns
  span: number; // ns; the unit of start and duration
  count: number;
  places: Float32Array;
  colours: Uint8Array;
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
  count = 0;

  constructor(
    most: number,
    private readonly from: number,
    private readonly span: number,
  ) {
    this.places = new Float32Array(most * FLOATS);
    this.colours = new Uint8Array(most * 4);
  }

  add(start: number, duration: number, top: number, height: number, rgb: readonly number[], kind: number): void {
    const at = this.count++;
    this.places[at * FLOATS] = (start - this.from) / this.span;
    this.places[at * FLOATS + 1] = duration / this.span;
    this.places[at * FLOATS + 2] = top;
    this.places[at * FLOATS + 3] = height;
    this.colours[at * 4] = rgb[0]!;
    this.colours[at * 4 + 1] = rgb[1]!;
    this.colours[at * 4 + 2] = rgb[2]!;
    this.colours[at * 4 + 3] = kind;
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
      const rgb = palette[names[data.name[i]!] ?? -1] ?? muted;
      builder.add(data.start[i]!, data.duration[i]!, top - LANE, LANE - 2, rgb, data.merged[i] === 1 ? FILLED : PLAIN);
    }
  }
  return { from: data.from, span: data.to - data.from, count: builder.count, places: builder.places, colours: builder.colours };
}

export interface CounterLevel {
  area: number; // CSS pixels from the top of the whole to the area below the last value
  top: number; // and to the bar from the highest to the lowest
  tall: number; // of the bar
  areaNs: number; // how long each lasts
  barNs: number;
}

// Of a counter's rows; `end`: behind its last one.
export function counterLevels(place: TrackRow): (data: ViewData, row: number, end: number) => CounterLevel {
  const low = Math.min(place.track.min ?? 0, 0);
  const high = Math.max(place.track.max ?? 1, low + Number.MIN_VALUE);
  const bottom = place.top + place.height;
  const yOf = (value: number): number => bottom - ((value - low) / (high - low)) * (place.height - COUNTER_ROOM);
  return (data, row, end) => {
    const areaNs = row + 1 < end ? data.start[row + 1]! - data.start[row]! : data.duration[row]!;
    const top = yOf(data.high[row]!);
    const barNs = data.merged[row] === 1 ? areaNs : data.duration[row]!;
    return { area: yOf(data.last[row]!), top, tall: Math.max(yOf(data.low[row]!) - top, THIN), areaNs, barNs };
  };
}

function addCounter(builder: Builder, data: ViewData, place: TrackRow, first: number, end: number, rgb: readonly number[]): void {
  const levels = counterLevels(place);
  const bottom = place.top + place.height;
  for (let i = first; i < end; ++i) {
    const { area, top, tall, areaNs, barNs } = levels(data, i, end);
    builder.add(data.start[i]!, areaNs, area, bottom - area, rgb, PALE);
    builder.add(data.start[i]!, barNs, top, tall, rgb, PLAIN);
  }
}
