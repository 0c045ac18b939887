// SPDX-License-Identifier: MIT
import { button, element } from "../shell/element";

const KEYS: readonly [string, string][] = [
  ["w, s", "zoom in, zoom out (shift: faster)"],
  ["a, d", "pan to the left, to the right (shift: faster)"],
  ["0", "show the whole trace"],
  ["/", "search; then Enter and Shift+Enter step through the matches"],
  ["m", "mark the selected event's time, with its statistics"],
  ["f", "fit the selection into the window"],
  ["g", "jump to the worst gap, then to the next"],
  ["c", "show or hide the critical path"],
  ["drag", "select a range; with shift: pan"],
  ["wheel", "scroll; with ctrl: zoom; with shift: pan"],
  ["click, double click", "select an event; zoom to it"],
  ["Escape", "close details and selection"],
  ["?", "this help"],
];

export function keysDialog(): HTMLDialogElement {
  const list = element("dl", { class: "facts keys" });
  for (const [key, meaning] of KEYS) {
    list.append(element("dt", {}, element("kbd", {}, key)), element("dd", {}, meaning));
  }
  const dialog = element("dialog", { "aria-label": "Keys of the timeline" }, element("h2", {}, "Keys"), list);
  dialog.append(button("Close", () => dialog.close()));
  return dialog;
}
