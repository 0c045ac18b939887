// SPDX-License-Identifier: MIT
// Names as masks of their letters, drawn once: a frame only blends them. Drawing text anew costs more than all slices.
import { FONT_FAMILY } from "./overlay_text";
import { LANE } from "./layout";

const LONGEST = 640; // CSS pixels of a mask
const MOST_MASKS = 4000;
const MOST_NEW = 24; // of a frame; the others come in the next ones

export interface NameMask {
  width: number; // device pixels
  height: number;
  alpha: Uint8Array;
  gapBefore: Uint16Array; // of each column the last one up to it that no letter touches
}

export class NameMasks {
  readonly #context = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
  readonly #masks = new Map<string, NameMask>();
  #ratio = 1;
  #left = MOST_NEW; // that may still be drawn in this frame
  lacks = false; // whether one was asked for that this frame cannot draw

  begin(ratio: number): void {
    if (ratio !== this.#ratio || this.#masks.size > MOST_MASKS) {
      this.#masks.clear();
      this.#ratio = ratio;
    }
    this.#left = MOST_NEW;
    this.lacks = false;
  }

  get(text: string): NameMask | null {
    const known = this.#masks.get(text);
    if (known !== undefined) {
      return known;
    }
    if (this.#left === 0) {
      this.lacks = true;
      return null;
    }
    --this.#left;
    const mask = this.#drawn(text);
    this.#masks.set(text, mask);
    return mask;
  }

  #drawn(text: string): NameMask {
    const context = this.#context;
    const ratio = this.#ratio;
    const font = `${11 * ratio}px ${FONT_FAMILY}`;
    context.font = font;
    const width = Math.max(Math.min(Math.ceil(context.measureText(text).width), Math.round(LONGEST * ratio)), 1);
    const height = Math.round((LANE - 2) * ratio);
    context.canvas.width = width; // clears it, and its state
    context.canvas.height = height;
    context.font = font;
    context.textBaseline = "middle";
    context.fillText(text, 0, (LANE / 2 - 1) * ratio);
    const { data } = context.getImageData(0, 0, width, height);
    const alpha = new Uint8Array(width * height);
    const gapBefore = new Uint16Array(width);
    for (let i = 0; i < alpha.length; ++i) {
      alpha[i] = data[i * 4 + 3]!;
    }
    for (let x = 0, gap = 0; x < width; ++x) {
      let touched = 0;
      for (let y = 0; y < height; ++y) {
        touched |= alpha[y * width + x]!;
      }
      gapBefore[x] = gap = touched === 0 ? x : gap;
    }
    return { width, height, alpha, gapBefore };
  }
}
