// SPDX-License-Identifier: MIT
// Keeps what is visible loaded, with as much again at each side, so that a pan needs no server. One request at a time, the latest wins.
import { fetchView, isAborted } from "../server/requests";
import { decodeView, type ViewData, type ViewExtent } from "./view_data";

const ROOM = 0.75; // of what is shown, loaded at each side
const LEAST_ROOM = 0.15; // below it, the next request
const COARSEST = 1.05; // ns per pixel against what is needed
const MOVING_COARSEST = 2.5; // while the window moves: the picture is held rather than asked for at each frame
const FINEST = 0.2;
const REST = 90; // milliseconds after which a window has come to rest

export const ANSWER = "timeline answer"; // measure of what our own script takes for one; bench/timeline_frames.py reads it

export interface WantedView {
  from: number;
  to: number;
  width: number; // pixels
  tracks: number[];
}

export class ViewLoader {
  data: ViewData | null = null;
  #abort: AbortController | null = null;
  #pending: ViewExtent | null = null;
  #wanted: WantedView | null = null;
  #timer = 0; // until the window is at rest

  constructor(
    private readonly name: string,
    private readonly startNs: bigint,
    private readonly whole: number,
    private readonly loaded: () => void,
    private readonly changed: () => void, // busy, or no more
    private readonly failed: (error: unknown) => void,
  ) {}

  get busy(): boolean {
    return this.#pending !== null || this.#timer !== 0;
  }

  want(wanted: WantedView): void {
    const before = this.#wanted;
    const moves = before !== null && (before.from !== wanted.from || before.to !== wanted.to);
    this.#wanted = wanted;
    if (wanted.tracks.length === 0 || this.#serves(this.data, wanted, COARSEST) || this.#serves(this.#pending, wanted, COARSEST)) {
      this.#rest(false);
      return;
    }
    if (this.#pending !== null) {
      return; // asked again when the answer is here
    }
    const isHeld = (moves || this.#timer !== 0) && this.#serves(this.data, wanted, MOVING_COARSEST);
    if (moves || !isHeld) {
      this.#rest(isHeld);
    }
    if (!isHeld) {
      void this.#load(wanted);
    }
  }

  stop(): void {
    this.#wanted = null;
    this.#rest(false);
    this.#abort?.abort();
  }

  // Asks when the window has not moved for a while, or no more.
  #rest(waits: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = waits ? window.setTimeout(() => this.#atRest(), REST) : 0;
  }

  #atRest(): void {
    this.#timer = 0;
    if (this.#wanted !== null && this.#pending === null) {
      void this.#load(this.#wanted);
    }
    this.changed();
  }

  #serves(extent: ViewExtent | null, wanted: WantedView, coarsest: number): boolean {
    if (extent === null) {
      return false;
    }
    const span = wanted.to - wanted.from;
    const needed = span / wanted.width;
    const low = Math.max(wanted.from - span * LEAST_ROOM, 0);
    const high = Math.min(wanted.to + span * LEAST_ROOM, this.whole);
    return (
      extent.from <= low &&
      extent.to >= high &&
      extent.nsPerPixel <= needed * coarsest &&
      extent.nsPerPixel >= needed * FINEST &&
      wanted.tracks.every((track) => extent.tracks.has(track))
    );
  }

  async #load(wanted: WantedView): Promise<void> {
    const span = wanted.to - wanted.from;
    const from = Math.max(Math.floor(wanted.from - span * ROOM), 0);
    const to = Math.max(Math.min(Math.ceil(wanted.to + span * ROOM), this.whole), from + 1);
    const width = Math.max(Math.ceil(((to - from) / span) * wanted.width), 1);
    const extent: ViewExtent = { from, to, nsPerPixel: (to - from) / width, tracks: new Set(wanted.tracks) };
    this.#pending = extent;
    this.#abort = new AbortController();
    try {
      const at = (ns: number): bigint => this.startNs + BigInt(ns);
      const bytes = await fetchView(this.name, at(from), at(to), width, wanted.tracks, this.#abort.signal);
      const began = performance.now();
      this.data = decodeView(bytes, extent);
      this.#pending = null;
      this.loaded();
      performance.measure(ANSWER, { start: began });
    } catch (error) {
      this.#pending = null;
      if (!isAborted(error)) {
        this.failed(error);
      }
      return;
    }
    const latest = this.#wanted;
    if (latest === null || this.#serves(this.data, latest, COARSEST)) {
      return;
    }
    if (this.#serves(this.data, latest, MOVING_COARSEST)) {
      this.#rest(true);
    } else {
      void this.#load(latest);
    }
  }
}
