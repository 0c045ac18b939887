// SPDX-License-Identifier: MIT
// SQL on one session's tables. The server runs it in a process of its own, which may read and nothing else.
import type { QueryAnswer } from "../server/documents";
import { cancelQuery, fetchFiles, fetchSessions, isAborted, runQuery } from "../server/requests";
import { copyLink } from "../shell/copy";
import { button, element, replace } from "../shell/element";
import type { Page } from "../shell/page";
import { addressOf, keepParameters, type Route } from "../shell/route";
import { failure, loading, nothing } from "../shell/states";
import { sortableTable, type TableColumn } from "../report/table_view";
import { durationText } from "../text/numbers";

const MOST_ROWS = 1000;

export const showQuery: Page = (main, route) => {
  document.title = "SQL – aaco";
  const page = new QueryPage(main, route);
  void page.show();
  return () => page.cancel();
};

class QueryPage {
  readonly #session: string;
  readonly #text = element("textarea", { rows: 7, spellcheck: "false", "aria-label": "SQL statement", placeholder: "select name, count(*) from events group by all order by 2 desc" });
  readonly #result = element("div", { class: "results", "aria-live": "polite" });
  readonly #run = button("Run  (Ctrl+Enter)", () => void this.#start(), { class: "strong" });
  readonly #cancel = button("Cancel", () => this.cancel(), { disabled: true });
  readonly #tables = element("div", { class: "chips" });
  #id = "";
  #abort: AbortController | null = null;

  constructor(
    private readonly main: HTMLElement,
    route: Route,
  ) {
    this.#session = route.subjects[0] ?? "";
    this.#text.value = route.parameters.get("statement") ?? "";
  }

  async show(): Promise<void> {
    const select = element("select", { "aria-label": "Session" }, element("option", { value: "" }, "choose a session"));
    select.addEventListener("change", () => (location.hash = addressOf("sql", select.value === "" ? [] : [select.value], { statement: this.#text.value })));
    this.#text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        void this.#start();
      }
    });
    replace(
      this.main,
      element("div", { class: "title" }, element("h1", {}, "SQL"), element("div", { class: "actions" }, button("Link", () => void copyLink(), { class: "quiet" }))),
      element("div", { class: "filters" }, select),
      this.#tables,
      this.#text,
      element("div", { class: "filters" }, this.#run, this.#cancel, element("span", { class: "sub" }, `At most ${MOST_ROWS} rows are shown. DuckDB's SQL; tables can be read, not changed.`)),
      this.#result,
    );
    this.#run.disabled = this.#session === "";
    if (this.#session === "") {
      replace(this.#result, nothing("No session is chosen", "A statement reads the tables of one session."));
    } else if (this.#text.value.trim() !== "") {
      void this.#start();
    }
    const list = await fetchSessions().catch((error: unknown) => {
      replace(this.#result, failure(error));
      return null;
    });
    select.append(...(list?.sessions ?? []).map((row) => element("option", { value: row.name }, `${row.name} · ${row.kind} · ${row.subject ?? ""}`)));
    select.value = this.#session;
    if (this.#session !== "") {
      await this.#listTables();
    }
  }

  async #listTables(): Promise<void> {
    const files = await fetchFiles(this.#session).catch(() => []);
    const names = files.flatMap((file) => /(?:^|\/)([^/]+)\.parquet$/u.exec(file.path)?.[1] ?? []);
    const use = (name: string): void => {
      this.#text.value = `select * from ${name} limit 20`;
      void this.#start();
    };
    replace(this.#tables, names.length > 0 && element("span", { class: "sub" }, "Tables:"), ...names.map((name) => button(name, () => use(name), { class: "quiet" })));
  }

  async #start(): Promise<void> {
    const statement = this.#text.value.trim();
    if (statement === "" || this.#session === "") {
      return;
    }
    this.cancel();
    keepParameters({ statement });
    const id = crypto.randomUUID();
    const abort = new AbortController();
    this.#id = id;
    this.#abort = abort;
    this.#cancel.disabled = false;
    replace(this.#result, loading("rows"));
    try {
      const answer = await runQuery(this.#session, statement, MOST_ROWS, id, abort.signal);
      replace(this.#result, answerView(answer));
    } catch (error) {
      replace(this.#result, isAborted(error) ? nothing("Cancelled", "The statement was stopped.") : failure(error));
    }
    if (this.#id === id) {
      this.#cancel.disabled = true;
      this.#id = "";
    }
  }

  cancel(): void {
    if (this.#id !== "") {
      cancelQuery(this.#id).catch(() => undefined);
      this.#abort?.abort();
      this.#id = "";
      this.#cancel.disabled = true;
    }
  }
}

function written(value: unknown): string {
  if (value === null || value === undefined) {
    return "";
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function answerView(answer: QueryAnswer): HTMLElement {
  const columns = answer.columns.map((column, index): TableColumn<unknown[]> => {
    const numeric = /int|double|float|decimal|real/iu.test(column.type) && !/\[/u.test(column.type);
    const order = (row: unknown[]): number | string | null => {
      const value = row[index];
      return value === null || value === undefined ? null : numeric ? Number(value) : written(value);
    };
    return {
      title: column.name,
      numeric,
      order,
      csv: (row) => row[index],
      cell: (row) =>
        row[index] === null
          ? element("td", { class: numeric ? "n null" : "null" }, "null")
          : element("td", { class: numeric ? "n w" : "long" }, written(row[index])),
    };
  });
  const count = `${answer.rows.length}${answer.truncated ? " rows of more" : answer.rows.length === 1 ? " row" : " rows"}`;
  return answer.rows.length === 0
    ? nothing("No rows", `The statement took ${durationText(answer.milliseconds * 1e6)}.`)
    : sortableTable(columns, answer.rows, { caption: `${count} in ${durationText(answer.milliseconds * 1e6)}`, name: "rows", all: true });
}
