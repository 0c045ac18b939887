// SPDX-License-Identifier: MIT
// What a counter holds, in its unit where one is known.
import type { Track } from "../server/documents";
import { textInUnit } from "../text/numbers";

const SCALED = new Set(["bytes", "bytes/s", "ns", "%"]); // their numbers get a prefix that fits; others stay as they were sampled

function valueText(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) {
    return "unknown";
  }
  return SCALED.has(unit) ? textInUnit(value, unit) : `${Number(value.toPrecision(5))}${unit === "" ? "" : ` ${unit}`}`;
}

// "23.1 GB to 24.1 GB", or one value where both are the same.
export function counterText(track: Track, low: number | null | undefined, high: number | null | undefined): string {
  const unit = track.unit === null || track.unit === undefined || track.unit === "1" ? "" : track.unit;
  const [from, to] = [valueText(low, unit), valueText(high, unit)];
  return from === to ? from : `${from} to ${to}`;
}
