// SPDX-License-Identifier: MIT
// Numbers as the program's own reports write them, so that a page and a terminal show the same text.
import type { Cell, Interval, NumberValue } from "../server/report_document";

const TIMES: readonly [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "us"],
  [1, "ns"],
];
const PREFIXES: readonly [number, string][] = [
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
];
const PLAIN_UNITS = new Set(["FLOP/byte", "GB/s"]);
const isPlain = (unit: string): boolean => unit.endsWith("s/s") || PLAIN_UNITS.has(unit); // things per second, ratios of units

// toFixed, but a value just between two texts gets the even digit, as printf has it. Such a value is a whole number of 2^-(digits + 1).
function fixed(value: number, digits: number): string {
  const scaled = Math.abs(value) * 10 ** digits;
  const below = Math.floor(scaled);
  const isBetween = scaled - below === 0.5 && Number.isInteger(value * 2 ** (digits + 1));
  return isBetween ? (Math.sign(value) * ((below + (below % 2)) / 10 ** digits)).toFixed(digits) : value.toFixed(digits);
}

// So many significant digits, and no exponent.
function significant(value: number, digits: number): string {
  if (value === 0 || !Number.isFinite(value)) {
    return String(value);
  }
  const beforePoint = Math.floor(Math.log10(Math.abs(value))) + 1;
  return fixed(value, Math.min(Math.max(digits - beforePoint, 0), 9));
}

function scaleOf(scales: readonly [number, string][], value: number): [number, string] {
  return scales.find(([factor]) => Math.abs(value) >= factor) ?? scales[scales.length - 1]!;
}

export function durationText(ns: number): string {
  const [factor, unit] = ns === 0 ? TIMES[3]! : scaleOf(TIMES, ns);
  return `${significant(ns / factor, 4)} ${unit}`;
}

// Of a time in an answer of the server; null is not 0.
export const nsOf = (time: string | number | null | undefined): number | null => (time === null || time === undefined ? null : Number(time));

export const durationOrUnknown = (ns: number | null): string => (ns === null ? "unknown" : durationText(ns));

export function siText(value: number, unit: string): string {
  const own = /^([TG])(FLOP.*)/u.exec(unit);
  if (own !== null) {
    return siText(value * (own[1] === "T" ? 1e12 : 1e9), own[2]!); // a unit with a prefix would get a second one
  }
  const [factor, prefix] = value === 0 ? PREFIXES[5]! : scaleOf(PREFIXES, value);
  return `${significant(value / factor, 3)} ${prefix}${unit}`;
}

export const countText = (count: number): string => Math.round(count).toLocaleString("en-US");

export const percentText = (fraction: number): string => `${fixed(fraction * 100, 1)} %`;

// As printf's %.4g.
function general(value: number): string {
  if (value === 0) {
    return "0";
  }
  const exponent = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(4)))));
  if (exponent < -4) {
    const [digits, power] = value.toExponential(3).split("e");
    const sign = power!.startsWith("-") ? "-" : "+";
    return `${String(Number(digits))}e${sign}${power!.replace(/[+-]/u, "").padStart(2, "0")}`;
  }
  return String(Number(fixed(value, Math.max(3 - exponent, 0))));
}

function plainNumber(value: number): string {
  if (Number.isInteger(value)) {
    return countText(value);
  }
  const size = Math.abs(value);
  if (size >= 1e9) {
    return siText(value, "");
  }
  return size >= 1e4 ? countText(value) : general(value);
}

export function textInUnit(value: number, unit: string): string {
  switch (unit) {
    case "ns":
      return durationText(value);
    case "ms":
      return durationText(value * 1e6);
    case "%":
      return `${fixed(value, 1)} %`;
    case "":
    case "1":
      return plainNumber(value);
    case "fraction":
      return `${fixed(value * 100, 2)} %`;
    case "1/s":
      return siText(value, "/s");
    case "bytes":
      return siText(value, "B");
    case "bytes/s":
      return siText(value, "B/s");
    default:
      return isPlain(unit) ? `${plainNumber(value)} ${unit}` : siText(value, unit);
  }
}

function splitUnit(text: string): [string, string] {
  const space = text.indexOf(" ");
  return space < 0 ? [text, ""] : [text.slice(0, space), text.slice(space)];
}

// "[1.198, 1.211]", with the unit where it is not the one of the value beside it.
export function intervalText(value: number, interval: Interval, unit: string): string {
  const [low, lowUnit] = splitUnit(textInUnit(interval.low, unit));
  const [high, highUnit] = splitUnit(textInUnit(interval.high, unit));
  if (lowUnit !== highUnit) {
    return `[${low}${lowUnit}, ${high}${highUnit}]`;
  }
  return `[${low}, ${high}]${lowUnit === splitUnit(textInUnit(value, unit))[1] ? "" : lowUnit}`;
}

function numberText(number: NumberValue | null | undefined): string {
  if (number === null || number === undefined || number.value === null) {
    return number?.reason ?? "-";
  }
  return textInUnit(number.value, number.unit);
}

// The number with its unit, the words, or the reason why there is neither.
export function cellText(cell: Cell): string {
  if (cell.before !== undefined || cell.after !== undefined) {
    return `${numberText(cell.before)} → ${numberText(cell.after)}`;
  }
  if (typeof cell.value === "number") {
    return textInUnit(cell.value, cell.unit ?? "1");
  }
  return typeof cell.value === "string" ? cell.value : (cell.reason ?? "");
}

// What stands beside it: the detail, else the interval.
export function cellDetail(cell: Cell): string {
  if (cell.detail !== undefined && cell.detail !== "") {
    return cell.detail;
  }
  return typeof cell.value === "number" && cell.interval !== undefined ? intervalText(cell.value, cell.interval, cell.unit ?? "1") : "";
}

export function cellLine(cell: Cell): string {
  return [cellText(cell), cellDetail(cell)].filter((part) => part !== "").join(" ");
}

// What a column sorts by: a number, or words. Nothing where there is neither.
export function cellOrder(cell: Cell): number | string | null {
  if (typeof cell.value === "number") {
    return cell.value;
  }
  const side = cell.after?.value ?? cell.before?.value;
  if (typeof side === "number") {
    return side;
  }
  if (typeof cell.value === "string") {
    const leading = /^[+-]?\d+(\.\d+)?(?= %$|$)/u.exec(cell.value);
    return leading === null ? cell.value : Number(leading[0]);
  }
  return null;
}

// The instant in the reader's own time zone, to the minute.
export function instantText(wallNs: string): string {
  const ns = Number(wallNs);
  if (!(ns > 0)) {
    return "";
  }
  const at = new Date(ns / 1e6);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
