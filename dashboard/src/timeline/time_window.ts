// SPDX-License-Identifier: MIT
// What part of the time is shown, in ns since the start of the trace. Two timelines may share one.

const SHORTEST_NS = 10;

export class TimeWindow {
  from = 0;
  to = 1;
  #whole = 1;
  readonly #listeners = new Set<() => void>();

  get span(): number {
    return this.to - this.from;
  }

  get whole(): number {
    return this.#whole;
  }

  // The longest of the traces that share the window.
  extend(whole: number): void {
    const showsAll = this.from === 0 && this.to === this.#whole;
    this.#whole = Math.max(whole, this.#whole);
    if (showsAll) {
      this.set(0, this.#whole);
    }
  }

  set(from: number, to: number): void {
    const span = Math.min(Math.max(to - from, SHORTEST_NS), this.#whole * 1.1);
    const middle = (from + to) / 2;
    const low = Math.min(Math.max(middle - span / 2, -0.05 * this.#whole), Math.max(this.#whole * 1.05 - span, -0.05 * this.#whole));
    this.from = low;
    this.to = low + span;
    for (const listener of this.#listeners) {
      listener();
    }
  }

  // `at`: 0 to 1, the place that stays where it is.
  zoom(factor: number, at = 0.5): void {
    const fixed = this.from + this.span * at;
    const span = Math.min(Math.max(this.span * factor, SHORTEST_NS), this.#whole * 1.1);
    this.set(fixed - span * at, fixed + span * (1 - at));
  }

  // `share` of what is shown.
  pan(share: number): void {
    const step = this.span * share;
    this.set(this.from + step, this.to + step);
  }

  // Shows it with room at both sides.
  show(start: number, duration: number): void {
    const room = Math.max(duration, SHORTEST_NS) * 0.6;
    this.set(start - room, start + duration + room);
  }

  showAll(): void {
    this.set(0, this.#whole);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
