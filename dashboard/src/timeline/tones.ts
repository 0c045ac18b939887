// SPDX-License-Identifier: MIT
// The theme's colours as pixels of an ImageData (alpha, blue, green, red from the highest byte), mixed with the ground.
import { channels, colour, PALETTE_SIZE } from "../shell/theme";

export const TINT = 0.42; // share of a wide slice's colour
export const PALE = 0.3; // and of the area below a counter
const GAP = 0.16; // and of an idle gap, whose stripes have more
const STRIPE = 0.55;

export const MUTED = 8; // index of the colour for what has none

type Channels = readonly [number, number, number];

export interface Tones {
  ground: number;
  grid: number;
  ink: Channels;
  // By index of the palette.
  solid: Uint32Array;
  tint: Uint32Array;
  pale: Uint32Array;
  gap: Uint32Array;
  stripe: Uint32Array;
}

const pixel = ([red, green, blue]: Channels): number => (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;

export function currentTones(): Tones {
  const ground = channels(colour("ground"));
  const palette = Array.from({ length: PALETTE_SIZE + 1 }, (_, index) => channels(colour(`s${index}`)));
  const mixed = (share: number): Uint32Array =>
    Uint32Array.from(palette, (tone) => {
      const part = (i: 0 | 1 | 2): number => Math.round(tone[i] * share + ground[i] * (1 - share));
      return pixel([part(0), part(1), part(2)]);
    });
  return {
    ground: pixel(ground),
    grid: pixel(channels(colour("grid"))),
    ink: channels(colour("ink")),
    solid: mixed(1),
    tint: mixed(TINT),
    pale: mixed(PALE),
    gap: mixed(GAP),
    stripe: mixed(STRIPE),
  };
}
