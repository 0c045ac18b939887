// SPDX-License-Identifier: MIT
// The pixels of a timeline, put together in memory: of a lane one line of pixels is computed, then copied to its height. That costs a
// fraction of what a canvas takes for as many rectangles.
import { type Layout, LANE, type TrackRow } from "./layout";
import type { NameMask } from "./name_masks";
import { colourIndex, counterLevels } from "./rectangles";
import { MUTED, type Tones } from "./tones";
import { firstReaching, type RowRange, type ViewData } from "./view_data";

const GAP_LEAST = 4; // CSS pixels of a slice that leaves one to its neighbour
const TINT_LEAST = 6; // and of one that is drawn in a tint
const BASE = 2; // CSS pixels of the line below it
const LEAST_KEPT = 0.75; // of the room of a name that is cut
const STRIPES = 8; // CSS pixels from one stripe of a gap to the next

export interface RasterView {
  from: number; // ns
  span: number; // ns
  scroll: number; // CSS pixels
}

export interface RasterGap {
  start: number;
  duration: number;
  tone: number;
}

// Where the name of a slice may stand, in device pixels.
export type NamePlace = (name: number, left: number, right: number, top: number) => void;

export class Raster {
  readonly image: ImageData;
  readonly #pixels: Uint32Array;
  readonly #ground: Uint32Array; // a line with nothing on it
  readonly #body: Uint32Array; // a line of slices
  readonly #base: Uint32Array; // the lines below them
  readonly #levels: readonly [Int32Array, Int32Array, Int32Array]; // of a counter: top of its area, top and end of its bar
  #scale = 1; // device pixels in a nanosecond
  #from = 0;
  #scroll = 0;

  constructor(
    readonly width: number, // device pixels
    readonly height: number,
    private readonly ratio: number,
    private tones: Tones,
  ) {
    this.image = new ImageData(width, height);
    this.#pixels = new Uint32Array(this.image.data.buffer);
    this.#ground = new Uint32Array(width);
    this.#body = new Uint32Array(width);
    this.#base = new Uint32Array(width);
    this.#levels = [new Int32Array(width), new Int32Array(width), new Int32Array(width)];
  }

  useTones(tones: Tones): void {
    this.tones = tones;
  }

  // The ground with grid lines at `ticks` (device pixels) and above each group.
  begin(view: RasterView, ticks: readonly number[], groups: Layout["groups"]): void {
    this.#scale = this.width / view.span;
    this.#from = view.from;
    this.#scroll = view.scroll;
    const { ground, grid } = this.tones;
    const wide = Math.max(Math.round(this.ratio), 1);
    this.#ground.fill(ground);
    for (const x of ticks) {
      this.#ground.fill(grid, x, x + wide);
    }
    for (let y = 0; y < this.height; ++y) {
      this.#pixels.set(this.#ground, y * this.width);
    }
    for (const group of groups) {
      const y = this.#yOf(group.top);
      if (y >= 0 && y < this.height) {
        this.#pixels.fill(grid, y * this.width, Math.min(y + wide, this.height) * this.width);
      }
    }
  }

  #yOf(cssTop: number): number {
    return Math.floor((cssTop - this.#scroll) * this.ratio + 0.5);
  }

  #xOf(ns: number): number {
    return Math.floor((ns - this.#from) * this.#scale + 0.5);
  }

  addSlices(data: ViewData, row: TrackRow, nameColours: Uint8Array, names: NamePlace): void {
    const lanes = data.lanes.get(row.track.id) ?? [];
    lanes.forEach((range, lane) => {
      const top = this.#yOf(row.top + lane * LANE);
      const end = top + Math.round((LANE - 2) * this.ratio);
      if (end <= 0 || top >= this.height || (lane + 1) * LANE > row.height) {
        return;
      }
      this.#body.set(this.#ground);
      this.#base.set(this.#ground);
      this.#addLane(data, range, nameColours, (name, left, right) => names(name, left, right, top));
      this.#copy(this.#body, top, end - Math.round(BASE * this.ratio));
      this.#copy(this.#base, end - Math.round(BASE * this.ratio), end);
    });
  }

  #copy(line: Uint32Array, top: number, end: number): void {
    for (let y = Math.max(top, 0); y < Math.min(end, this.height); ++y) {
      this.#pixels.set(line, y * this.width);
    }
  }

  // A slice is at least a pixel wide. Of several in one pixel the longest shows, and no wide one hides a narrow one.
  #addLane(data: ViewData, range: RowRange, nameColours: Uint8Array, names: (name: number, left: number, right: number) => void): void {
    const { start, duration, merged, name } = data;
    const { solid, tint } = this.tones;
    const [body, base, width, ratio] = [this.#body, this.#base, this.width, this.ratio];
    const [from, scale, end] = [this.#from, this.#scale, range[1]];
    const until = from + width / scale;
    let narrow = -1; // pixel of the last narrow slice
    let narrowNs = 0;
    for (let i = firstReaching(start, range, from); i < end; ++i) {
      const ns = start[i]!;
      if (ns > until) {
        break;
      }
      const x = (ns - from) * scale + 0.5;
      let left = Math.floor(x);
      const whole = Math.floor(x + duration[i]! * scale);
      const tone = nameColours[name[i]!]!;
      if (whole - left <= 1) {
        if (left >= 0 && left < width && (left !== narrow || duration[i]! > narrowNs)) {
          body[left] = base[left] = solid[tone]!;
          narrow = left;
          narrowNs = duration[i]!;
        }
        continue;
      }
      const wide = whole - left;
      const behind = Math.min(wide > GAP_LEAST * ratio ? whole - Math.round(ratio) : whole, width);
      left = Math.max(left === narrow ? left + 1 : left, 0);
      const isTinted = merged[i] === 1 && wide > TINT_LEAST * ratio;
      fillLine(body, isTinted ? tint[tone]! : solid[tone]!, left, behind);
      fillLine(base, solid[tone]!, left, behind);
      if (isTinted) {
        names(name[i]!, left, behind);
      }
    }
  }

  // Stripes where nothing else is, so that a gap is told from a slice without its colour.
  addGaps(gaps: readonly RasterGap[], row: TrackRow): void {
    const [top, bottom] = [Math.max(this.#yOf(row.top), 0), Math.min(this.#yOf(row.top + row.height), this.height)];
    const { ground, grid, gap: tints, stripe: stripes } = this.tones;
    const period = Math.round(STRIPES * this.ratio);
    const thick = Math.max(Math.round(this.ratio), 1);
    for (const gap of gaps) {
      const left = Math.max(this.#xOf(gap.start), 0);
      const right = Math.min(Math.max(this.#xOf(gap.start + gap.duration), left + 1), this.width);
      for (let y = top; y < bottom && left < right; ++y) {
        for (let x = left, at = y * this.width + left; x < right; ++x, ++at) {
          if (this.#pixels[at] === ground || this.#pixels[at] === grid) {
            this.#pixels[at] = ((x + y) % period < thick ? stripes : tints)[gap.tone]!;
          }
        }
      }
    }
  }

  // Below the last value an area, between the lowest and the highest a bar: no spike is lost, however narrow its pixel.
  addCounter(data: ViewData, row: TrackRow): void {
    const range = data.rows.get(row.track.id);
    const [top, bottom] = [Math.max(this.#yOf(row.top), 0), Math.min(this.#yOf(row.top + row.height), this.height)];
    if (range === undefined || bottom <= top) {
      return;
    }
    const [level, barTop, barEnd] = this.#levels;
    level.fill(bottom);
    barTop.fill(bottom);
    barEnd.fill(top);
    this.#levelCounter(data, row, range);
    const tone = colourIndex(row.track.name);
    const [solid, pale] = [this.tones.solid[tone]!, this.tones.pale[tone]!];
    for (let y = top; y < bottom; ++y) {
      for (let x = 0, at = y * this.width; x < this.width; ++x, ++at) {
        if (y >= barTop[x]! && y < barEnd[x]!) {
          this.#pixels[at] = solid;
        } else if (y >= level[x]!) {
          this.#pixels[at] = pale;
        }
      }
    }
  }

  #levelCounter(data: ViewData, row: TrackRow, range: RowRange): void {
    const [level, barTop, barEnd] = this.#levels;
    const until = this.#from + this.width / this.#scale;
    const levels = counterLevels(row);
    for (let i = firstReaching(data.start, range, this.#from); i < range[1] && data.start[i]! <= until; ++i) {
      const { area, top, tall, areaNs, barNs } = levels(data, i, range[1]);
      const left = Math.max(this.#xOf(data.start[i]!), 0);
      const areaTop = this.#yOf(area);
      for (let x = left, end = this.#endOf(data.start[i]! + areaNs, left); x < end; ++x) {
        level[x] = Math.min(level[x]!, areaTop);
      }
      const first = this.#yOf(top);
      const behind = first + Math.max(Math.floor(tall * this.ratio + 0.5), 1);
      for (let x = left, end = this.#endOf(data.start[i]! + barNs, left); x < end; ++x) {
        barTop[x] = Math.min(barTop[x]!, first);
        barEnd[x] = Math.max(barEnd[x]!, behind);
      }
    }
  }

  #endOf(ns: number, left: number): number {
    return Math.min(Math.max(this.#xOf(ns), left + 1), this.width);
  }

  // The letters that fit between two pixels.
  addName(mask: NameMask, ellipsis: NameMask | null, left: number, right: number, top: number): void {
    if (mask.width <= right - left) {
      this.#blend(mask, mask.width, left, top);
    } else if (ellipsis !== null) {
      const room = right - left - ellipsis.width;
      const gap = mask.gapBefore[Math.min(room, mask.width - 1)] ?? 0;
      const cut = gap > room * LEAST_KEPT ? gap : room; // between letters, unless too much is lost
      if (cut > 0) {
        this.#blend(mask, cut, left, top);
        this.#blend(ellipsis, ellipsis.width, left + cut, top);
      }
    }
  }

  #blend(mask: NameMask, columns: number, left: number, top: number): void {
    const [red, green, blue] = this.tones.ink;
    for (let y = Math.max(-top, 0); y < mask.height && top + y < this.height; ++y) {
      let at = (top + y) * this.width + left;
      for (let i = y * mask.width, end = i + columns; i < end; ++i, ++at) {
        const alpha = mask.alpha[i]!;
        if (alpha !== 0) {
          const pixel = this.#pixels[at]!;
          const share = 255 - alpha;
          const r = ((pixel & 255) * share + red * alpha) / 255;
          const g = (((pixel >> 8) & 255) * share + green * alpha) / 255;
          const b = (((pixel >> 16) & 255) * share + blue * alpha) / 255;
          this.#pixels[at] = (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
        }
      }
    }
  }
}

const SHORT = 24; // pixels that a loop fills faster than a call

function fillLine(line: Uint32Array, pixel: number, from: number, to: number): void {
  if (to - from > SHORT) {
    line.fill(pixel, from, to);
    return;
  }
  for (let x = from; x < to; ++x) {
    line[x] = pixel;
  }
}

// The colour of each name of an answer; of what has none the muted one.
export const coloursOfNames = (names: readonly string[]): Uint8Array =>
  names.length === 0 ? Uint8Array.of(MUTED) : Uint8Array.from(names, colourIndex);
