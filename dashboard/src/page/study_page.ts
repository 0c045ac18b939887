// SPDX-License-Identifier: MIT
// A first screen for a kind of session: the answer, what the kind is about as charts and a table, then the way to the whole report.
import { fetchDocument, fetchReport, fetchSessions } from "../server/requests";
import type { Report, Section } from "../server/report_document";
import { copyLink } from "../shell/copy";
import { button, element, replace } from "../shell/element";
import type { Page } from "../shell/page";
import { addressOf } from "../shell/route";
import { failure, loading, nothing } from "../shell/states";
import { reportView } from "../report/report_view";
import { ladderSections, type StudyDocument } from "../study/ladder";
import { type OverlapDocument, overlapSections } from "../study/overlap";
import { type QueueSweepDocument, queueSweepSections } from "../study/queue_sweep";

export interface Study {
  page: string;
  title: string;
  kinds: readonly string[];
  advice: string; // how to record such a session
  sections: (document: unknown) => Section[];
}

export const STUDIES: readonly Study[] = [
  { page: "ladder", title: "Ladder", kinds: ["training_study"], advice: "Record one: aaco llama study --versions 1,2,3,4", sections: (document) => ladderSections(document as StudyDocument) },
  { page: "sweeps", title: "Sweeps", kinds: ["queue_sweep"], advice: "Record one: aaco queue sweep WORKLOAD --streams 1,2,4", sections: (document) => queueSweepSections(document as QueueSweepDocument) },
  { page: "overlap", title: "Overlap", kinds: ["overlap", "overlap_sweep"], advice: "Record one: aaco overlap run", sections: (document) => overlapSections(document as OverlapDocument) },
];

// The address may name no session: the newest of the kind is shown.
export const studyPage =
  (study: Study): Page =>
  (main, route) => {
    const name = route.subjects[0] ?? "";
    document.title = `${study.title} – aaco`;
    let shown = true;
    const chooser = element("div", { class: "filters" });
    const place = element("div", {}, loading(study.title.toLowerCase()));
    replace(main, chooser, place);
    fetchSessions()
      .then(async ({ sessions }) => {
        const rows = sessions.filter((row) => study.kinds.includes(row.kind));
        const chosen = name === "" ? (rows[0]?.name ?? "") : name;
        if (!shown) {
          return;
        }
        replace(chooser, element("p", { class: "page-name" }, study.title), sessionChoice(study, rows.map((row) => [row.name, `${row.name} · ${row.subject ?? row.kind}`]), chosen));
        if (chosen === "") {
          replace(place, nothing("No such session yet", study.advice));
          return;
        }
        const [report, content] = await Promise.all([fetchReport(chosen), fetchDocument(chosen)]);
        if (shown) {
          replace(place, reportView(firstScreen(report, study.sections(content)), actions(chosen)));
        }
      })
      .catch((error: unknown) => shown && replace(place, failure(error, () => studyPage(study)(main, route))));
    return () => {
      shown = false;
    };
  };

function sessionChoice(study: Study, options: readonly [string, string][], chosen: string): HTMLElement | false {
  const select = element("select", { "aria-label": "session" }, ...options.map(([value, text]) => element("option", { value }, text)));
  select.value = chosen;
  select.addEventListener("change", () => (location.hash = addressOf(study.page, [select.value])));
  return options.length > 0 && select;
}

const firstScreen = (report: Report, sections: Section[]): Report => ({ ...report, sections, metrics: [] });

function actions(name: string): HTMLElement[] {
  return [
    element("a", { class: "button strong", href: addressOf("session", [name]) }, "Whole report"),
    element("a", { class: "button", href: addressOf("compare", [name]) }, "Compare with …"),
    button("Link", () => void copyLink(), { class: "quiet" }),
  ];
}
