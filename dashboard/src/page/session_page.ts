// SPDX-License-Identifier: MIT
// One session: its report, and the ways on from it.
import type { SessionFile } from "../server/documents";
import { fetchFiles, fetchReport, fetchSessions, sessionPath } from "../server/requests";
import { copyLink } from "../shell/copy";
import { button, element, replace } from "../shell/element";
import type { Page } from "../shell/page";
import { addressOf, keepParameters } from "../shell/route";
import { failure, loading, nothing } from "../shell/states";
import { foldedView, reportView, sectionLinks } from "../report/report_view";
import { siText } from "../text/numbers";

export const showSession: Page = (main, route) => {
  const name = route.subjects[0] ?? "";
  document.title = `${name} – aaco`;
  if (name === "") {
    replace(main, nothing("No session is named", "Choose one in the list of sessions."));
    return undefined;
  }
  replace(main, loading("the report"));
  let shown = true;
  Promise.all([fetchReport(name), fetchFiles(name).catch(() => [] as SessionFile[]), fetchTags(name)])
    .then(([report, files, tags]) => {
      if (shown) {
        document.title = `${report.title} – aaco`;
        replace(main, element("div", { class: "columns" }, sectionLinks(report), reportView(report, actions(name, files), tagLinks(tags))), filesView(files));
        restoreSection(main, route.parameters.get("section"));
      }
    })
    .catch((error: unknown) => shown && replace(main, failure(error, () => showSession(main, route))));
  return () => {
    shown = false;
  };
};

const fetchTags = (name: string): Promise<string[]> =>
  fetchSessions()
    .then((list) => list.sessions.find((row) => row.name === name)?.tags ?? [])
    .catch(() => []);

// To the sessions that have the tag too.
function tagLinks(tags: readonly string[]): HTMLElement[] {
  return tags.map((tag) => element("a", { class: "badge tag", href: addressOf("sessions", [], { tag }) }, tag));
}

function actions(name: string, files: readonly SessionFile[]): HTMLElement[] {
  const hasEvents = files.length === 0 || files.some((file) => /(^|\/)events\.parquet/u.test(file.path));
  return [
    ...(hasEvents ? [element("a", { class: "button strong", href: addressOf("timeline", [name]) }, "Timeline")] : []),
    element("a", { class: "button", href: addressOf("compare", [name]) }, "Compare with …"),
    element("a", { class: "button", href: addressOf("sql", [name]) }, "SQL"),
    element("a", { class: "button", href: `/api/session/${sessionPath(name)}/json` }, "JSON"),
    button("Link", () => void copyLink(), { class: "quiet" }),
  ];
}

function filesView(files: readonly SessionFile[]): HTMLElement | false {
  return (
    files.length > 0 &&
    foldedView(`${files.length} files in the session`, () => [
      element("dl", { class: "facts" }, ...files.flatMap((file) => [element("dt", {}, file.path), element("dd", {}, siText(file.bytes, "B"))])),
    ])
  );
}

// The section that is read is part of the address; a link leads back to it.
function restoreSection(main: HTMLElement, wanted: string | null): void {
  if (wanted !== null) {
    main.querySelector(`#section-${CSS.escape(wanted)}`)?.scrollIntoView();
  }
  const seen = new IntersectionObserver(
    (entries) => {
      const top = entries.find((entry) => entry.isIntersecting);
      if (top !== undefined && main.isConnected && window.scrollY > 0) {
        keepParameters({ section: top.target.id.replace(/^section-/u, "") });
      }
    },
    { rootMargin: "0px 0px -85% 0px" },
  );
  for (const section of main.querySelectorAll("section")) {
    seen.observe(section);
  }
}
