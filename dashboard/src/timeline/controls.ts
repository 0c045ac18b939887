// SPDX-License-Identifier: MIT
// Keyboard and pointer. Keys that are held move smoothly; a short press moves one step.
import type { TimeWindow } from "./time_window";

const STEP = 0.1; // of what is shown, for one press
const ZOOM_STEP = 1.25;
const SPEED = 0.9; // of what is shown, in a second
const ZOOM_SPEED = 2.2; // powers of e in a second
const FAST = 3; // with shift
const CLICK = 4; // pixels within which a drag is a click

export interface KeyActions {
  search: () => void;
  help: () => void;
  mark: () => void;
  fit: () => void;
  worstGap: () => void;
  criticalPath: () => void;
  escape: () => void;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);

// Keys of the whole page: w and s zoom, a and d pan.
export function listenToKeys(window: TimeWindow, actions: KeyActions, centre: () => number): () => void {
  const held = new Set<string>();
  let before = 0;
  let fast = false;

  function frame(now: number): void {
    if (held.size === 0) {
      return;
    }
    const seconds = Math.min((now - before) / 1000, 0.1) * (fast ? FAST : 1);
    before = now;
    const zoom = Number(held.has("s")) - Number(held.has("w"));
    const pan = Number(held.has("d")) - Number(held.has("a"));
    if (zoom !== 0) {
      window.zoom(Math.exp(zoom * ZOOM_SPEED * seconds), centre());
    }
    if (pan !== 0) {
      window.pan(pan * SPEED * seconds);
    }
    requestAnimationFrame(frame);
  }

  const single: Record<string, () => void> = {
    "/": actions.search,
    "?": actions.help,
    m: actions.mark,
    f: actions.fit,
    g: actions.worstGap,
    c: actions.criticalPath,
    "0": () => window.showAll(),
    Escape: actions.escape,
    ArrowLeft: () => window.pan(-STEP),
    ArrowRight: () => window.pan(STEP),
  };

  function down(event: KeyboardEvent): void {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    fast = event.shiftKey;
    if ("wasd".includes(key) && key.length === 1) {
      event.preventDefault();
      if (!held.has(key)) {
        step(key);
        held.add(key);
        if (held.size === 1) {
          before = performance.now();
          requestAnimationFrame(frame);
        }
      }
    } else if (single[key] !== undefined && !(key.startsWith("Arrow") && event.target instanceof HTMLButtonElement)) {
      event.preventDefault();
      single[key]();
    }
  }

  function step(key: string): void {
    if (key === "w" || key === "s") {
      window.zoom(key === "s" ? ZOOM_STEP : 1 / ZOOM_STEP, centre());
    } else {
      window.pan(key === "d" ? STEP : -STEP);
    }
  }

  const up = (event: KeyboardEvent): void => void held.delete(event.key.toLowerCase());
  const clear = (): void => held.clear();
  document.addEventListener("keydown", down);
  document.addEventListener("keyup", up);
  addEventListener("blur", clear);
  return () => {
    held.clear();
    document.removeEventListener("keydown", down);
    document.removeEventListener("keyup", up);
    removeEventListener("blur", clear);
  };
}

export interface PointerActions {
  hover: (x: number | null, y: number) => void; // CSS pixels within the plot
  click: (x: number, y: number, twice: boolean) => void;
  select: (from: number, to: number, ended: boolean) => void; // ns
}

// The wheel scrolls, with ctrl it zooms, with shift it pans. A drag selects, with shift it pans.
export function listenToPointer(plot: HTMLElement, window: TimeWindow, actions: PointerActions): void {
  const timeAt = (x: number): number => window.from + (x / plot.clientWidth) * window.span;
  const place = (event: MouseEvent): [number, number] => {
    const box = plot.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  let start: { x: number; y: number; time: number; pans: boolean; moved: boolean; from: number; to: number } | null = null;

  plot.addEventListener("pointerdown", (event) => {
    const [x, y] = place(event);
    start = { x, y, time: timeAt(x), pans: event.shiftKey || event.button === 1, moved: false, from: window.from, to: window.to };
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    actions.hover(x, y);
    if (start === null || (!start.moved && Math.abs(x - start.x) < CLICK)) {
      return;
    }
    start.moved = true;
    if (start.pans) {
      const shift = ((start.x - x) / plot.clientWidth) * (start.to - start.from);
      window.set(start.from + shift, start.to + shift);
    } else {
      actions.select(Math.min(start.time, timeAt(x)), Math.max(start.time, timeAt(x)), false);
    }
  });
  plot.addEventListener("pointerup", (event) => {
    const [x, y] = place(event);
    if (start !== null && !start.moved) {
      actions.click(x, y, event.detail > 1);
    } else if (start !== null && !start.pans) {
      actions.select(Math.min(start.time, timeAt(x)), Math.max(start.time, timeAt(x)), true);
    }
    start = null;
  });
  plot.addEventListener("dblclick", (event) => actions.click(...place(event), true));
  plot.addEventListener("pointerleave", () => actions.hover(null, 0));
  plot.addEventListener(
    "wheel",
    (event) => {
      const [x] = place(event);
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        window.zoom(Math.exp(event.deltaY * 0.004), x / plot.clientWidth);
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        window.pan((event.deltaX + (event.shiftKey ? event.deltaY : 0)) / plot.clientWidth);
      }
    },
    { passive: false },
  );
}
