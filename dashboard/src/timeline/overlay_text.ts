// SPDX-License-Identifier: MIT
// Text on the canvases of a timeline, whose widths are measured once.
type Context = CanvasRenderingContext2D;

export const FONT_FAMILY = "system-ui, -apple-system, 'Segoe UI', sans-serif";
export const FONT = `11px ${FONT_FAMILY}`;
const MOST_WIDTHS = 10_000;

const widths = new Map<string, number>(); // in FONT

// `context` has that font.
export function widthOf(context: Context, text: string): number {
  let width = widths.get(text);
  if (width === undefined) {
    width = context.measureText(text).width;
    if (widths.size >= MOST_WIDTHS) {
      widths.clear();
    }
    widths.set(text, width);
  }
  return width;
}

export function fittedText(context: Context, text: string, width: number): string {
  const whole = widthOf(context, text);
  const letters = Math.floor((width / whole) * text.length * 0.96) - 1;
  return whole <= width ? text : letters < 2 ? "" : `${text.slice(0, letters)}…`;
}
