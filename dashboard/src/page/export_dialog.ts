// SPDX-License-Identifier: MIT
// The trace for other programs: handed to Perfetto's page after a click that says what happens, or downloaded.
import { exportPath } from "../server/requests";
import { say } from "../shell/copy";
import { button, element, replace } from "../shell/element";
import { failure, loading } from "../shell/states";
import { countText } from "../text/numbers";
import { handToPerfetto, originOf, PERFETTO } from "../timeline/perfetto";

const KEY = "aaco-perfetto";

export function exportDialog(name: string): HTMLDialogElement {
  const address = element("input", { type: "url", id: "perfetto-address", value: localStorage.getItem(KEY) ?? PERFETTO, spellcheck: "false" });
  const state = element("div", { role: "status" });
  const open = button("Hand it over", () => void hand(), { class: "strong" });
  const dialog = element(
    "dialog",
    { "aria-labelledby": "export-title", class: "export" },
    element("h2", { id: "export-title" }, "Open in Perfetto"),
    element("p", {}, "The trace then leaves this page: a new tab with the page below gets all of it, with every name in it. Until you click, nothing is sent."),
    element("p", {}, "The program behind that page is not aaco's. A local copy of Perfetto's page can be named here in its place."),
    element("label", { for: "perfetto-address" }, "Page that gets the trace"),
    address,
    state,
    element(
      "div",
      { class: "actions" },
      open,
      element("a", { class: "button", href: exportPath(name, "perfetto"), download: "" }, "Download for Perfetto"),
      element("a", { class: "button", href: exportPath(name, "chrome"), download: "" }, "Download as JSON"),
      button("Close", () => dialog.close(), { class: "quiet" }),
    ),
  );

  async function hand(): Promise<void> {
    const chosen = address.value.trim();
    if (originOf(chosen) !== null) {
      localStorage.setItem(KEY, chosen);
    }
    open.disabled = true;
    replace(state, loading("the trace into the other page"));
    try {
      const leftOut = await handToPerfetto(name, chosen);
      replace(state, element("p", {}, `The other page has the trace${leftOut === 0 ? "" : `, without ${countText(leftOut)} events that its form cannot hold`}.`));
      say("Handed over");
    } catch (error) {
      replace(state, failure(error));
    }
    open.disabled = false;
  }
  return dialog;
}
