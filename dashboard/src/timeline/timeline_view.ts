// SPDX-License-Identifier: MIT
// One timeline: names at the left, rectangles at the right, an axis on top. Pages give it a window of time and hear what was picked.
import type { CriticalPath, Gap, SearchMatch, TimelineTracks, Track } from "../server/documents";
import { fetchGaps, fetchTracks } from "../server/requests";
import { button, element, replace } from "../shell/element";
import { failure, loading, nothing } from "../shell/states";
import { onTheme } from "../shell/theme";
import { listenToPointer } from "./controls";
import { counterText } from "./counter_text";
import { glPainter, isSoftware } from "./gl_painter";
import { type Layout, layOut, visibleRows } from "./layout";
import { AXIS, drawAxis, type Flow, type OverlayScene, type RelativeGap, type Selected } from "./overlay";
import type { Painter } from "./painter";
import { describeRow, pickRow } from "./pick";
import { rasterPainter } from "./raster_painter";
import type { TimeWindow } from "./time_window";
import { ANSWER, ViewLoader } from "./view_loader";

const MOST_GAPS = 500;
const SCROLL_ROOM = 200; // pixels above and below what is shown, loaded too
const FRAME = "timeline frame"; // measure of what our own script takes of one; bench/timeline_frames.py reads it
const KEPT_FRAMES = 1000;
const CAUSES = 8; // colours of causes

export interface TimelineHandlers {
  picked: (selected: Selected | null) => void;
  ranged: (range: readonly [number, number] | null) => void;
  folded: (closed: readonly string[]) => void;
}

export class TimelineView {
  readonly element = element("div", { class: "timeline" });
  tracks: TimelineTracks | null = null;
  gaps: RelativeGap[] = [];
  selected: Selected | null = null;
  range: readonly [number, number] | null = null;
  painterKind = "";

  #startNs = 0n;
  #whole = 1;
  #layout: Layout = layOut([], new Set());
  #loader: ViewLoader | null = null;
  #painter: Painter | null = null;
  #flows: Flow[] = [];
  #matches: readonly SearchMatch[] = [];
  #query = "";
  #paths: readonly CriticalPath[] = [];
  #causes = new Map<string, number>();
  #pointer: number | null = null;
  #frame = 0;
  #frames = 0; // drawn so far
  #busy = false; // whether an answer is under way, as the element says
  #stopped = false;
  readonly #closed: Set<string>;
  // As they were laid out last: to ask the browser in a frame makes it lay out the page.
  #width = 0;
  #height = 0;
  #scrolled = 0;
  readonly #axis = element("canvas", { class: "tl-axis", "aria-hidden": "true" });
  readonly #names = element("div", { class: "tl-names" });
  readonly #plot = element("div", { class: "tl-plot" });
  readonly #scroll = element("div", { class: "tl-scroll", tabindex: 0, role: "region", "aria-label": "Tracks" });
  readonly #tip = element("div", { class: "tip", hidden: true });
  readonly #state = element("div", { class: "tl-state", role: "status" });
  readonly #leave: (() => void)[] = [];

  constructor(
    readonly name: string,
    readonly window: TimeWindow,
    private readonly handlers: TimelineHandlers,
    closed: readonly string[],
    private readonly painterWanted: string,
  ) {
    this.#closed = new Set(closed);
  }

  get startNs(): bigint {
    return this.#startNs;
  }

  relative(ns: string): number {
    return Number(BigInt(ns) - this.#startNs);
  }

  async start(): Promise<boolean> {
    replace(this.element, loading("tracks"));
    try {
      this.tracks = await fetchTracks(this.name);
    } catch (error) {
      replace(this.element, failure(error, () => void this.start()));
      return false;
    }
    this.#startNs = BigInt(this.tracks.start_ns);
    this.#whole = Math.max(this.relative(this.tracks.end_ns), 1);
    if (!this.tracks.tracks.some((track) => track.events > 0)) {
      replace(this.element, nothing("No events", "The session has tracks, but nothing is recorded on them."));
      return false;
    }
    this.window.extend(this.#whole);
    this.#loader = new ViewLoader(this.name, this.#startNs, this.#whole, () => this.#take(), () => this.draw(), (error) => this.#fail(error));
    this.#build();
    this.#leave.push(this.window.onChange(() => this.draw()));
    void this.#loadGaps();
    return true;
  }

  stop(): void {
    this.#stopped = true;
    this.#loader?.stop();
    cancelAnimationFrame(this.#frame);
    for (const leave of this.#leave) {
      leave();
    }
  }

  trackName(id: number): string {
    const track = this.tracks?.tracks.find((each) => each.id === id);
    return track === undefined ? "" : `${track.group} / ${track.name}`;
  }

  categoryName(category: number | string): string {
    return typeof category === "string" ? category : (this.tracks?.categories.find((each) => each.id === category)?.name ?? "");
  }

  visibleTracks(): number[] {
    return this.#layout.rows.filter((row) => row.track.type === "slices").map((row) => row.track.id);
  }

  // The nearest lane is known only where the event is loaded.
  select(selected: Selected | null): void {
    this.selected = selected;
    this.#flows = [];
    if (selected !== null) {
      this.#reveal(selected.track);
    }
    this.draw();
  }

  showFlows(flows: readonly Flow[]): void {
    this.#flows = [...flows];
    this.draw();
  }

  setRange(range: readonly [number, number] | null): void {
    this.range = range;
    this.draw();
  }

  showPaths(paths: readonly CriticalPath[]): void {
    this.#paths = paths;
    this.draw();
  }

  showMatches(query: string, matches: readonly SearchMatch[]): void {
    this.#query = query;
    this.#matches = matches;
    this.draw();
  }

  laneOf(event: number): number {
    const data = this.#loader?.data;
    for (let i = 0; data !== null && data !== undefined && i < data.count; ++i) {
      if (data.event[i] === event) {
        return data.lane[i]!;
      }
    }
    return 0;
  }

  draw(): void {
    if (this.#frame === 0 && !this.#stopped) {
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0;
        this.#paint();
      });
    }
  }

  // Everything that is shown, on one canvas.
  picture(): HTMLCanvasElement {
    this.#paint();
    const ratio = devicePixelRatio;
    const left = this.#names.clientWidth * ratio;
    const layers = this.#painter?.layers ?? [];
    const copy = element("canvas", { width: left + this.#axis.width, height: Math.round((this.#height + AXIS) * ratio) });
    const context = copy.getContext("2d")!;
    const style = getComputedStyle(document.documentElement);
    context.fillStyle = style.getPropertyValue("--ground");
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(this.#axis, left, 0);
    for (const layer of layers) {
      context.drawImage(layer, left, AXIS * ratio);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = style.getPropertyValue("--ink");
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "top";
    context.beginPath();
    context.rect(0, AXIS, left / ratio - 8, copy.height);
    context.clip();
    for (const group of this.#layout.groups) {
      context.fillText(group.name, 6, group.top - this.#scrolled + AXIS + 6);
    }
    for (const row of this.#layout.rows) {
      context.fillText(row.track.name, 18, row.top - this.#scrolled + AXIS + 2);
    }
    return copy;
  }

  #build(): void {
    const painter = this.painterWanted === "canvas" || (this.painterWanted === "auto" && isSoftware()) ? null : glPainter();
    this.#painter = painter ?? rasterPainter();
    this.painterKind = this.#painter.kind;
    replace(this.#plot, ...this.#painter.layers, this.#tip);
    replace(this.#scroll, this.#names, this.#plot);
    replace(this.element, element("div", { class: "tl-head" }, this.#state, this.#axis), this.#scroll);
    this.element.dataset["painter"] = this.painterKind;
    this.#scroll.addEventListener(
      "scroll",
      () => {
        this.#scrolled = this.#scroll.scrollTop;
        this.draw();
      },
      { passive: true },
    );
    listenToPointer(this.#plot, this.window, {
      hover: (x, y) => this.#hover(x, y),
      click: (x, y, twice) => this.#click(x, y, twice),
      select: (from, to, ended) => {
        this.range = [from, to];
        this.draw();
        if (ended) {
          this.handlers.ranged(this.range);
        }
      },
    });
    const observer = new ResizeObserver(() => this.#resize());
    observer.observe(this.#scroll);
    this.#leave.push(() => observer.disconnect());
    onTheme(this.element, () => this.#take());
    this.#arrange();
    this.#resize();
  }

  #arrange(): void {
    this.#layout = layOut(this.tracks?.tracks ?? [], this.#closed);
    this.#names.style.height = `${this.#layout.height}px`;
    const groups = this.#layout.groups.map((group) => {
      const row = button(group.name, () => this.#fold(group.name), { class: "tl-group", "aria-expanded": String(!group.closed), title: group.name });
      row.style.top = `${group.top}px`;
      return row;
    });
    const rows = this.#layout.rows.map((row) => {
      const place = element("div", { class: "tl-track", title: trackTitle(row.track) }, row.track.name);
      place.style.top = `${row.top}px`;
      place.style.height = `${row.height}px`;
      if (row.track.type === "counter") {
        place.append(element("small", {}, counterText(row.track, row.track.min, row.track.max)));
      }
      return place;
    });
    replace(this.#names, ...groups, ...rows);
    this.#take();
  }

  #fold(name: string): void {
    if (!this.#closed.delete(name)) {
      this.#closed.add(name);
    }
    this.handlers.folded([...this.#closed]);
    this.#arrange();
    this.#names.querySelector<HTMLElement>(`[title="${CSS.escape(name)}"].tl-group`)?.focus();
  }

  #reveal(track: number): void {
    const group = this.tracks?.tracks.find((each) => each.id === track)?.group ?? "";
    if (this.#closed.has(group)) {
      this.#fold(group);
    }
    const row = this.#layout.byTrack.get(track);
    const height = this.#scroll.clientHeight;
    if (row !== undefined && (row.top < this.#scroll.scrollTop || row.top + row.height > this.#scroll.scrollTop + height)) {
      this.#scroll.scrollTop = row.top - height / 3;
      this.#scrolled = this.#scroll.scrollTop;
    }
  }

  async #loadGaps(): Promise<void> {
    let gaps: Gap[];
    try {
      gaps = await fetchGaps(this.name, MOST_GAPS);
    } catch {
      return; // a session without idle causes
    }
    this.gaps = gaps.map((gap) => ({ ...gap, start: this.relative(gap.start_ns), duration: Number(gap.duration_ns) }));
    for (const gap of this.gaps) {
      if (!this.#causes.has(gap.cause)) {
        this.#causes.set(gap.cause, this.#causes.size % CAUSES);
      }
    }
    this.draw();
    this.element.dispatchEvent(new Event("gaps"));
  }

  get causes(): ReadonlyMap<string, number> {
    return this.#causes;
  }

  #resize(): void {
    const ratio = devicePixelRatio;
    this.#width = this.#plot.clientWidth;
    this.#height = this.#scroll.clientHeight;
    for (const canvas of this.#painter?.layers ?? []) {
      canvas.style.height = `${this.#height}px`;
      canvas.style.width = `${this.#width}px`;
    }
    this.#axis.style.width = `${this.#width}px`;
    this.#axis.width = Math.round(this.#width * ratio);
    this.#axis.height = AXIS * ratio;
    this.#painter?.resize(this.#width, this.#height, ratio);
    this.#paint();
  }

  #take(): void {
    const data = this.#loader?.data;
    if (data !== null && data !== undefined) {
      this.#painter?.load(data, this.#layout);
    }
    this.#state.textContent = "";
    this.draw();
  }

  #fail(error: unknown): void {
    replace(this.#state, error instanceof Error ? error.message : String(error), button("Try again", () => this.draw(), { class: "quiet" }));
  }

  #scene(): OverlayScene {
    return {
      from: this.window.from,
      span: this.window.span,
      width: this.#width,
      height: this.#height,
      scroll: this.#scrolled,
      layout: this.#layout,
      data: this.#loader?.data ?? null,
      gaps: this.gaps,
      causes: this.#causes,
      selected: this.selected,
      flows: this.#flows,
      range: this.range,
      matches: this.#matches,
      query: this.#query,
      pointer: this.#pointer,
      paths: this.#paths,
    };
  }

  #paint(): void {
    const scene = this.#scene();
    if (scene.width <= 0 || this.#painter === null) {
      return;
    }
    const began = performance.now();
    const ratio = devicePixelRatio;
    drawAxis(this.#axis.getContext("2d")!, scene, ratio);
    const isWhole = this.#painter.paint(scene);
    if (++this.#frames % KEPT_FRAMES === 0) {
      performance.clearMeasures(FRAME);
      performance.clearMeasures(ANSWER);
    }
    performance.measure(FRAME, { start: began });
    if (!isWhole) {
      this.draw();
    }
    const rows = visibleRows(this.#layout, scene.scroll - SCROLL_ROOM, scene.height + 2 * SCROLL_ROOM);
    this.#loader?.want({
      from: scene.from,
      to: scene.from + scene.span,
      width: Math.round(scene.width * ratio),
      tracks: rows.map((row) => row.track.id),
    });
    const isBusy = this.#loader?.busy ?? false;
    if (isBusy !== this.#busy) {
      this.#busy = isBusy;
      this.element.toggleAttribute("data-loading", isBusy);
    }
  }

  #hover(x: number | null, y: number): void {
    this.#pointer = x;
    const data = this.#loader?.data;
    const row = x === null || data === null || data === undefined ? -1 : pickRow(data, this.#layout, this.#scene(), x, y);
    this.#tip.hidden = row < 0;
    if (row >= 0 && x !== null) {
      this.#tip.textContent = describeRow(data!, row, this.#layout);
      this.#tip.style.left = `${Math.min(x + 12, Math.max(this.#width - this.#tip.offsetWidth - 6, 0))}px`;
      this.#tip.style.top = `${Math.max(y - 30, 2)}px`;
    }
    this.draw();
  }

  #click(x: number, y: number, twice: boolean): void {
    const data = this.#loader?.data;
    const row = data === null || data === undefined ? -1 : pickRow(data, this.#layout, this.#scene(), x, y);
    if (row < 0 || data === null || data === undefined || this.#layout.byTrack.get(data.track[row]!)?.track.type === "counter") {
      this.selected = null;
      this.range = null;
      this.handlers.picked(null);
      this.draw();
      return;
    }
    const selected: Selected = {
      event: data.event[row]!,
      track: data.track[row]!,
      lane: data.lane[row]!,
      start: data.start[row]!,
      duration: data.duration[row]!,
    };
    this.select(selected);
    if (twice) {
      this.window.show(selected.start, selected.duration);
    }
    this.handlers.picked(selected);
  }
}

const trackTitle = (track: Track): string => `${track.group} / ${track.name}: ${track.events.toLocaleString("en-US")} events`;

