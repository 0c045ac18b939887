// SPDX-License-Identifier: MIT
// Takes what a page shows elsewhere: text to the clipboard, files to disk. A short message says that it worked.
import { element } from "./element";

let message: HTMLElement | null = null;

export function say(text: string): void {
  message?.remove();
  message = element("div", { class: "toast", role: "status" }, text);
  document.body.append(message);
  const shown = message;
  setTimeout(() => shown.remove(), 2600);
}

export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`);
  } catch {
    save("copy.txt", new Blob([text], { type: "text/plain" }));
    say(`The browser forbids the clipboard: ${what} saved as a file`);
  }
}

export const copyLink = (): Promise<void> => copyText(location.href, "Link");

export function saveCanvas(canvas: HTMLCanvasElement, name: string): void {
  canvas.toBlob((blob) => {
    if (blob !== null) {
      save(`${name}.png`, blob);
      say(`${name}.png saved`);
    }
  }, "image/png");
}

// A field that a spreadsheet would run as a formula gets an apostrophe; quotes are doubled.
function csvField(value: unknown): string {
  if (value === null || value === undefined) {
    return "";
  }
  let text = typeof value === "object" ? JSON.stringify(value) : String(value);
  if (typeof value === "string" && /^[=+\-@\t]/u.test(text)) {
    text = `'${text}`;
  }
  return /[",\n\r]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvText = (columns: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  `${[columns, ...rows].map((row) => row.map(csvField).join(",")).join("\n")}\n`;
