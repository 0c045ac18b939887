// SPDX-License-Identifier: MIT
// Draws a timeline. Two do it: WebGL 2 on a GPU, and pixels put together in memory where a processor would do a GPU's work.
import type { Layout } from "./layout";
import type { OverlayScene } from "./overlay";
import type { ViewData } from "./view_data";

export interface Painter {
  readonly kind: "webgl" | "canvas";
  readonly layers: readonly HTMLCanvasElement[]; // the lowest first
  load(data: ViewData, layout: Layout): void; // at each answer, and when layout or theme change
  paint(scene: OverlayScene): boolean; // false: another frame has to draw more
  resize(width: number, height: number, ratio: number): void; // CSS pixels, device pixels in each
}
