// SPDX-License-Identifier: MIT
import "uplot/dist/uPlot.min.css";
import "./style/ground.css";
import "./style/report.css";
import "./style/pages.css";
import "./style/timeline.css";
import { showCompare } from "./page/compare_page";
import { showDiff } from "./page/diff_page";
import { showGuard } from "./page/guard_page";
import { showLive } from "./page/live_page";
import { showQuery } from "./page/query_page";
import { showSession } from "./page/session_page";
import { showSessions } from "./page/sessions_page";
import { STUDIES, studyPage } from "./page/study_page";
import { showTimeline } from "./page/timeline_page";
import { fetchAbout } from "./server/requests";
import { button, element, replace } from "./shell/element";
import { type Leave, type Page } from "./shell/page";
import { addressOf, routeOf } from "./shell/route";
import { nothing } from "./shell/states";
import { startTheme, toggleTheme } from "./shell/theme";

const PAGES: Record<string, Page> = {
  sessions: showSessions,
  session: showSession,
  timeline: showTimeline,
  diff: showDiff,
  compare: showCompare,
  guard: showGuard,
  sql: showQuery,
  live: showLive,
  ...Object.fromEntries(STUDIES.map((study) => [study.page, studyPage(study)])),
};

const LINKS: readonly [string, string][] = [
  ["sessions", "Sessions"],
  ["compare", "Compare"],
  ...STUDIES.map((study): [string, string] => [study.page, study.title]),
  ["guard", "Guard"],
  ["sql", "SQL"],
  ["live", "Live"],
];

// Pages that no link of the bar names, and the one that leads to them.
const WITHIN: Record<string, string> = { session: "sessions", timeline: "sessions", diff: "compare" };

startTheme();
const main = element("main", { id: "main", tabindex: -1 });
const links = LINKS.map(([page, title]) => element("a", { href: addressOf(page), "data-page": page }, title));
const version = element("span", { class: "version" });
const bar = element(
  "header",
  { class: "bar" },
  element("a", { class: "skip", href: "#main", onclick: skipToMain }, "Skip to content"),
  element("a", { class: "brand", href: addressOf("sessions") }, "aaco"),
  element("nav", { "aria-label": "Pages" }, ...links),
  version,
  button("light / dark", toggleTheme, { class: "theme" }),
);
replace(document.querySelector("#app")!, bar, main);

let leave: Leave = () => undefined;
let shown: string | null = null; // the fragment; it is empty at first

function skipToMain(event: Event): void {
  event.preventDefault();
  main.focus();
}

// A change of parameters alone is the page's own doing, unless the reader went back or opened a link.
function show(): void {
  if (location.hash === shown) {
    return;
  }
  shown = location.hash;
  const route = routeOf(location.hash);
  leave();
  leave = () => undefined;
  for (const link of links) {
    link.toggleAttribute("aria-current", false);
    if (link.dataset["page"] === route.page || WITHIN[route.page] === link.dataset["page"]) {
      link.setAttribute("aria-current", "page");
    }
  }
  main.className = `page-${route.page}`;
  const page = PAGES[route.page];
  if (page === undefined) {
    document.title = "aaco";
    replace(main, nothing("There is no such page", "Go to the sessions."));
    return;
  }
  leave = page(main, route) ?? (() => undefined);
}

addEventListener("hashchange", show);
show();

fetchAbout().then(
  (about) => {
    version.textContent = `aaco ${about.version}`;
    version.title = about.sessions_folder;
  },
  () => undefined,
);
