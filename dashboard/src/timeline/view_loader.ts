// SPDX-License-Identifier: MIT
// Keeps what is visible loaded, with as much again at each side, so that a pan needs no server. One request at a time, the latest wins.
import { fetchView, isAborted } from "../server/requests";
import { decodeView, type ViewData, type ViewExtent } from "./view_data";

const ROOM = 0.75; // of what is shown, loaded at each side
const LEAST_ROOM = 0.15; // below it, the next request
const COARSEST = 1.05; // ns per pixel against what is needed
const FINEST = 0.2;

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

  constructor(
    private readonly name: string,
    private readonly startNs: bigint,
    private readonly whole: number,
    private readonly loaded: () => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  get busy(): boolean {
    return this.#pending !== null;
  }

  want(wanted: WantedView): void {
    this.#wanted = wanted;
    if (wanted.tracks.length === 0 || this.#serves(this.data, wanted) || this.#serves(this.#pending, wanted)) {
      return;
    }
    if (this.#pending !== null) {
      return; // asked again when the answer is here
    }
    void this.#load(wanted);
  }

  stop(): void {
    this.#wanted = null;
    this.#abort?.abort();
  }

  #serves(extent: ViewExtent | null, wanted: WantedView): boolean {
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
      extent.nsPerPixel <= needed * COARSEST &&
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
      this.data = decodeView(bytes, extent);
      this.#pending = null;
      this.loaded();
    } catch (error) {
      this.#pending = null;
      if (!isAborted(error)) {
        this.failed(error);
      }
      return;
    }
    if (this.#wanted !== null && this.#wanted !== wanted) {
      this.want(this.#wanted);
    }
  }
}
