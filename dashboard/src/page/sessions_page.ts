// SPDX-License-Identifier: MIT
// All sessions: search, filter by kind, state and tag, and choose some to compare.
import type { SessionList, SessionRow } from "../server/documents";
import { fetchSessions } from "../server/requests";
import { copyLink } from "../shell/copy";
import { breakable, button, element, replace } from "../shell/element";
import type { Page } from "../shell/page";
import { addressOf, keepParameters, type Route } from "../shell/route";
import { failure, loading, nothing } from "../shell/states";
import { sortableTable, type TableColumn } from "../report/table_view";
import { MOST_COMPARED } from "./compare_page";
import { countText, durationOrUnknown, instantText, siText } from "../text/numbers";

const TONES: Record<string, string> = { complete: "good", running: "neutral", incomplete: "warning", interrupted: "warning" };

export const stateBadge = (state: string): HTMLElement => element("span", { class: `badge ${TONES[state] ?? "bad"}` }, state);

export const showSessions: Page = (main, route) => {
  document.title = "Sessions – aaco";
  replace(main, loading("sessions"));
  fetchSessions()
    .then((list) => new SessionsPage(main, route, list).show())
    .catch((error: unknown) => replace(main, failure(error, () => showSessions(main, route))));
  return undefined;
};

class SessionsPage {
  readonly #chosen: Set<string>;
  readonly #filters = new Map<string, string>();
  readonly #table = element("div", { class: "results" });
  readonly #count = element("span", { class: "sub", role: "status" });
  readonly #compare = element("a", { class: "button" }, "Compare");

  constructor(
    private readonly main: HTMLElement,
    route: Route,
    private readonly list: SessionList,
  ) {
    this.#chosen = new Set(route.parameters.getAll("chosen").flatMap((names) => names.split("\n")).filter((name) => name !== ""));
    for (const key of ["q", "kind", "state", "tag", "sort"]) {
      this.#filters.set(key, route.parameters.get(key) ?? "");
    }
  }

  show(): void {
    if (this.list.sessions.length === 0) {
      replace(this.main, element("h1", {}, "Sessions"), nothing("No sessions yet", "A run makes one: aaco run MODEL. An import does too: aaco trace import FILE."), this.#skipped());
      return;
    }
    const search = element("input", { type: "search", placeholder: "Search", "aria-label": "Search sessions", value: this.#filters.get("q") ?? "", spellcheck: "false" });
    search.addEventListener("input", () => this.#filter("q", search.value));
    replace(
      this.main,
      element("div", { class: "title" }, element("h1", {}, "Sessions"), element("div", { class: "actions" }, button("Link", () => void copyLink(), { class: "quiet" }))),
      element(
        "div",
        { class: "filters" },
        search,
        this.#choice("kind", "all kinds", (row) => [row.kind]),
        this.#choice("state", "all states", (row) => [row.state]),
        this.#choice("tag", "all tags", (row) => row.tags, 1),
        this.#count,
        element("span", { class: "spring" }),
        this.#compare,
      ),
      this.#table,
      this.#skipped(),
    );
    this.#draw();
  }

  // Where a choice would leave all rows, there is none: a session has one kind and one state, but need not have a tag.
  #choice(key: string, all: string, words: (row: SessionRow) => string[], least = 2): HTMLElement | false {
    const known = [...new Set(this.list.sessions.flatMap(words))].sort();
    if (known.length < least && this.#filters.get(key) === "") {
      return false;
    }
    const select = element("select", { "aria-label": all }, element("option", { value: "" }, all), ...known.map((word) => element("option", { value: word }, word)));
    select.value = this.#filters.get(key) ?? "";
    select.addEventListener("change", () => this.#filter(key, select.value));
    return select;
  }

  #filter(key: string, value: string): void {
    this.#filters.set(key, value);
    keepParameters({ [key]: value });
    this.#draw();
  }

  #matches(row: SessionRow): boolean {
    const text = [row.name, row.kind, row.subject ?? "", row.device ?? "", row.state, row.headline ?? "", ...row.tags].join(" ").toLowerCase();
    const words = (this.#filters.get("q") ?? "").toLowerCase().split(/\s+/u);
    const is = (key: string, values: string[]): boolean => this.#filters.get(key) === "" || values.includes(this.#filters.get(key)!);
    return words.every((word) => text.includes(word)) && is("kind", [row.kind]) && is("state", [row.state]) && is("tag", row.tags);
  }

  #draw(): void {
    const rows = this.list.sessions.filter((row) => this.#matches(row));
    this.#count.textContent = rows.length === this.list.sessions.length ? `${rows.length} sessions` : `${rows.length} of ${this.list.sessions.length} sessions`;
    const [column, way] = (this.#filters.get("sort") === "" ? "7.down" : this.#filters.get("sort")!).split(".");
    replace(
      this.#table,
      rows.length === 0
        ? nothing("No session matches", "Change the search or the filters.")
        : sortableTable(this.#columns(), rows, {
            caption: "",
            name: "sessions",
            all: true,
            sorted: { column: Number(column), down: way === "down" },
            onSort: (state) => this.#sorted(`${state.column}.${state.down ? "down" : "up"}`),
          }),
    );
    this.#choose();
  }

  #sorted(state: string): void {
    this.#filters.set("sort", state);
    keepParameters({ sort: state });
  }

  #columns(): TableColumn<SessionRow>[] {
    const text = (title: string, key: (row: SessionRow) => string, draw: (row: SessionRow) => Node | string, css = ""): TableColumn<SessionRow> => ({
      title,
      numeric: false,
      order: key,
      csv: key,
      cell: (row) => element("td", { class: css }, draw(row)),
    });
    return [
      text("compare", (row) => (this.#chosen.has(row.name) ? "yes" : ""), (row) => this.#check(row)),
      text("session", (row) => row.name, (row) => element("a", { href: addressOf("session", [row.name]) }, breakable(row.name)), "name"),
      text("state", (row) => row.state, (row) => stateBadge(row.state)),
      text("kind", (row) => row.kind, (row) => row.kind, "w"),
      text("subject", (row) => row.subject ?? "", (row) => breakable(row.subject ?? "")),
      text("answer", (row) => row.headline ?? "", (row) => row.headline ?? "", "answer"),
      text("device", (row) => row.device ?? "", (row) => row.device ?? ""),
      { ...text("started", (row) => row.started_wall_ns, (row) => instantText(row.started_wall_ns), "w"), order: (row) => Number(row.started_wall_ns) },
      ...(this.list.sessions.some((row) => row.duration_s !== null) ? [this.#took()] : []),
      { title: "size", numeric: true, order: (row) => row.bytes, csv: (row) => row.bytes, cell: (row) => element("td", { class: "n w" }, siText(row.bytes, "B")) },
      ...(this.list.sessions.some((row) => row.tags.length > 0) ? [text("tags", (row) => row.tags.join(" "), (row) => row.tags.join(", "))] : []),
    ];
  }

  #took(): TableColumn<SessionRow> {
    return {
      title: "took",
      numeric: true,
      order: (row) => row.duration_s,
      csv: (row) => row.duration_s,
      cell: (row) => element("td", { class: "n w" }, durationOrUnknown(row.duration_s === null ? null : row.duration_s * 1e9)),
    };
  }

  #check(row: SessionRow): HTMLElement {
    const box = element("input", { type: "checkbox", "aria-label": `Compare ${row.name}`, checked: this.#chosen.has(row.name) });
    box.addEventListener("change", () => {
      if (box.checked) {
        this.#chosen.add(row.name);
      } else {
        this.#chosen.delete(row.name);
      }
      keepParameters({ chosen: [...this.#chosen].join("\n") });
      this.#choose();
    });
    return box;
  }

  #choose(): void {
    const count = this.#chosen.size;
    const ready = count >= 2 && count <= MOST_COMPARED;
    this.#compare.toggleAttribute("aria-disabled", !ready);
    this.#compare.textContent = ready ? `Compare the ${count === 2 ? "two" : count}` : `Compare: choose 2 to ${MOST_COMPARED} (${count} chosen)`;
    if (ready) {
      // In the order of their recording: the oldest is the base. Two have a page with their timelines too.
      const names = this.list.sessions.map((row) => row.name).filter((name) => this.#chosen.has(name)).reverse();
      this.#compare.href = addressOf(count === 2 ? "diff" : "compare", names);
    } else {
      this.#compare.removeAttribute("href");
    }
  }

  #skipped(): HTMLElement | false {
    const { skipped } = this.list;
    return (
      skipped.length > 0 &&
      element(
        "details",
        { class: "fold" },
        element("summary", {}, `${countText(skipped.length)} folders are no sessions`),
        element("dl", { class: "facts" }, ...skipped.flatMap((folder) => [element("dt", {}, folder.name), element("dd", {}, folder.why)])),
      )
    );
  }
}
