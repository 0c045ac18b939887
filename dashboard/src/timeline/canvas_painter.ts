// SPDX-License-Identifier: MIT
// A plain canvas, for browsers without WebGL 2. The same pixels as gl_painter.ts, but slower where there are many.
import { channels, colour } from "../shell/theme";
import type { Painter, PaintView } from "./painter";
import { FILLED, FLOATS, PALE, type Rectangles } from "./rectangles";

const TINT = 0.42; // share of a wide slice's colour
const PALE_TINT = 0.3; // and of the area below a counter

class CanvasPainter implements Painter {
  readonly kind = "canvas";
  readonly #context: CanvasRenderingContext2D;
  #rectangles: Rectangles | null = null;
  #ratio = 1;

  constructor(context: CanvasRenderingContext2D) {
    this.#context = context;
  }

  load(rectangles: Rectangles): void {
    this.#rectangles = rectangles;
  }

  resize(width: number, height: number, ratio: number): void {
    this.#context.canvas.width = Math.round(width * ratio);
    this.#context.canvas.height = Math.round(height * ratio);
    this.#ratio = ratio;
  }

  paint(view: PaintView): void {
    const context = this.#context;
    const { width, height } = context.canvas;
    context.clearRect(0, 0, width, height);
    const rectangles = this.#rectangles;
    if (rectangles === null) {
      return;
    }
    const { places, colours } = rectangles;
    const ratio = this.#ratio;
    const scale = (rectangles.span * width) / view.span;
    const offset = ((rectangles.from - view.from) * width) / view.span;
    const styles = new Map<number, string>();
    const ground = channels(colour("ground"));
    const fill = (at: number, share: number): string => {
      const key = colours[at]! * 65536 + colours[at + 1]! * 256 + colours[at + 2]! + share * 2 ** 28;
      let style = styles.get(key);
      if (style === undefined) {
        style = `rgb(${[0, 1, 2].map((i) => Math.round(colours[at + i]! * share + ground[i]! * (1 - share))).join(",")})`;
        styles.set(key, style);
      }
      return style;
    };
    for (let i = 0; i < rectangles.count; ++i) {
      const left = Math.floor(places[i * FLOATS]! * scale + offset + 0.5);
      const right = Math.floor((places[i * FLOATS]! + places[i * FLOATS + 1]!) * scale + offset + 0.5);
      const top = Math.floor((places[i * FLOATS + 2]! - view.scroll) * ratio + 0.5);
      const tall = Math.max(Math.floor(places[i * FLOATS + 3]! * ratio + 0.5), 1);
      if (right < 0 || left > width || top + tall < 0 || top > height) {
        continue;
      }
      const kind = colours[i * 4 + 3]!;
      const from = Math.max(left, -4);
      let wide = Math.max(Math.min(right, width + 4) - from, 1);
      if (wide > 4 * ratio && kind !== PALE) {
        wide -= ratio;
      }
      const tinted = kind === FILLED && wide > 6 * ratio;
      context.fillStyle = fill(i * 4, kind === PALE ? PALE_TINT : tinted ? TINT : 1);
      context.fillRect(from, top, wide, tall);
      if (tinted) {
        context.fillStyle = fill(i * 4, 1);
        context.fillRect(from, top + tall - 2 * ratio, wide, 2 * ratio);
      }
    }
  }
}

export function canvasPainter(canvas: HTMLCanvasElement): Painter {
  return new CanvasPainter(canvas.getContext("2d")!);
}
