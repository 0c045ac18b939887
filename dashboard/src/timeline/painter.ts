// SPDX-License-Identifier: MIT
// Draws rectangles on a canvas. Two do it: WebGL 2, and a plain canvas where that is not there.
import type { Rectangles } from "./rectangles";

export interface PaintView {
  from: number; // ns
  span: number; // ns
  scroll: number; // CSS pixels
}

export interface Painter {
  readonly kind: "webgl" | "canvas";
  load(rectangles: Rectangles): void;
  paint(view: PaintView): void;
  resize(width: number, height: number, ratio: number): void; // CSS pixels, device pixels in each
}
