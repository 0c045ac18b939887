// SPDX-License-Identifier: MIT
// What a page shows in place of its content: it loads, there is nothing, or an error.
import { RequestError } from "../server/requests";
import { button, element } from "./element";

export function loading(what: string): HTMLElement {
  return element("p", { class: "state", role: "status" }, element("i", { class: "spinner", "aria-hidden": "true" }), `Loading ${what} …`);
}

export function nothing(title: string, advice: string): HTMLElement {
  return element("div", { class: "state empty" }, element("h2", {}, title), element("p", {}, advice));
}

export function failure(error: unknown, again?: () => void): HTMLElement {
  const hint = error instanceof RequestError ? error.hint : "";
  const message = error instanceof Error ? error.message : String(error);
  return element(
    "div",
    { class: "state failed remark bad", role: "alert" },
    element("h2", {}, message),
    hint !== "" && element("p", {}, hint),
    again !== undefined && button("Try again", again),
  );
}
