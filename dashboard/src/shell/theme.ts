// SPDX-License-Identifier: MIT
// Light or dark: the system's choice until the reader chooses. Canvases ask for colours by name and redraw on a change.

const KEY = "aaco-theme";
const listeners = new Set<() => void>();
const colours = new Map<string, string>(); // of the theme as it is: to ask the browser makes it compute all styles
const system = matchMedia("(prefers-color-scheme: dark)");

export const PALETTE_SIZE = 8;

function tell(): void {
  colours.clear();
  for (const listener of listeners) {
    listener();
  }
}

export const isDark = (): boolean => (document.documentElement.dataset["theme"] ?? (system.matches ? "dark" : "light")) === "dark";

export function startTheme(): void {
  const stored = localStorage.getItem(KEY);
  if (stored === "light" || stored === "dark") {
    document.documentElement.dataset["theme"] = stored;
  }
  system.addEventListener("change", tell);
}

export function toggleTheme(): void {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset["theme"] = next;
  localStorage.setItem(KEY, next);
  tell();
}

// Calls back on every change until the element has left the page.
export function onTheme(owner: Element, redraw: () => void): void {
  const listener = (): void => {
    if (owner.isConnected) {
      redraw();
    } else {
      listeners.delete(listener);
    }
  };
  listeners.add(listener);
}

export function colour(name: string): string {
  let value = colours.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    colours.set(name, value);
  }
  return value;
}

export const seriesColour = (index: number): string => colour(`s${index % PALETTE_SIZE}`);

// A colour of the theme that lets through what is below it.
export const faded = (name: string, opacity: number): string => `rgb(${channels(colour(name)).join(" ")} / ${opacity})`;

// The part `share` of the first colour, the rest of the second; both "#rrggbb" or "#rgb".
export function mixed(first: string, second: string, share: number): string {
  const a = channels(first);
  const b = channels(second);
  return `#${a.map((value, i) => Math.round(value * share + (b[i] ?? 0) * (1 - share)).toString(16).padStart(2, "0")).join("")}`;
}

export function channels(hex: string): [number, number, number] {
  const digits = hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit).join("") : hex.slice(1);
  const at = (index: number): number => Number.parseInt(digits.slice(index, index + 2), 16);
  return [at(0), at(2), at(4)];
}
