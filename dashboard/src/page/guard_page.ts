// SPDX-License-Identifier: MIT
// The guard's history: each series with its levels and changes.
import { fetchSeries, RequestError } from "../server/requests";
import { copyLink } from "../shell/copy";
import { button, element, replace } from "../shell/element";
import type { Page } from "../shell/page";
import { keepParameters } from "../shell/route";
import { failure, loading, nothing } from "../shell/states";
import { reportView } from "../report/report_view";
import { type GuardHistory, historyHeadline, seriesSection } from "../study/series";

const MOST_SERIES = 24; // are drawn; a search narrows them down

export const showGuard: Page = (main, route) => {
  document.title = "Guard – aaco";
  let shown = true;
  replace(main, loading("the guard's history"));
  fetchSeries().then(
    (history) => shown && showHistory(main, history, route.parameters.get("q") ?? ""),
    (error: unknown) => {
      if (shown) {
        const none = error instanceof RequestError && error.status === 404;
        replace(main, element("h1", {}, "Guard"), none ? nothing(error.message, error.hint) : failure(error, () => showGuard(main, route)));
      }
    },
  );
  return () => {
    shown = false;
  };
};

function showHistory(main: HTMLElement, history: GuardHistory, query: string): void {
  const search = element("input", { type: "search", placeholder: "Search series", "aria-label": "Search series", value: query, spellcheck: "false" });
  const place = element("div");
  search.addEventListener("input", () => {
    keepParameters({ q: search.value });
    draw();
  });
  function draw(): void {
    const text = search.value.toLowerCase();
    const wanted = history.series.filter((series) => series.series.toLowerCase().includes(text));
    // Those with changes first: they are what one looks for.
    const ordered = [...wanted].sort((a, b) => b.changes.length - a.changes.length);
    const more = ordered.length - MOST_SERIES;
    replace(
      place,
      wanted.length === 0
        ? nothing("No series", history.series.length === 0 ? "aaco guard record starts one." : "Change the search.")
        : reportView({
            title: "Guard",
            subtitle: history.store,
            badges: history.damaged.length === 0 ? [] : [{ text: `${history.damaged.length} damaged recordings are left out`, tone: "bad" }],
            headline: historyHeadline({ ...history, series: wanted }),
            metrics: [],
            sections: ordered.slice(0, MOST_SERIES).map(seriesSection),
            footer: more > 0 ? `${more} more series: search for them above` : "",
          }),
    );
  }
  replace(main, element("div", { class: "filters" }, search, element("span", { class: "spring" }), button("Link", () => void copyLink(), { class: "quiet" })), place);
  draw();
}
