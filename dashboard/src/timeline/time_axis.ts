// SPDX-License-Identifier: MIT
// Ticks of the time axis: round numbers in one unit, relative to the start of the trace.

const UNITS: readonly [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "us"],
  [1, "ns"],
];

export interface Tick {
  at: number; // ns
  text: string;
}

function stepFor(span: number, most: number): number {
  const least = span / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least) ?? power * 10;
}

export function ticksOf(from: number, to: number, most: number): Tick[] {
  const step = Math.max(stepFor(to - from, most), 1);
  const [factor, unit] = UNITS.find(([size]) => Math.max(Math.abs(from), Math.abs(to)) >= size && step >= size / 1e4) ?? UNITS[3]!;
  const digits = Math.max(0, Math.ceil(-Math.log10(step / factor) - 1e-9));
  const ticks: Tick[] = [];
  for (let index = Math.ceil(from / step); index * step <= to; ++index) {
    ticks.push({ at: index * step, text: `${((index * step) / factor).toFixed(digits)} ${unit}` });
  }
  return ticks;
}
