// SPDX-License-Identifier: MIT
// A table that sorts by any column, shows its first rows, and gives itself away as CSV.
import type { Cell, TableBlock } from "../server/report_document";
import { copyText, csvText } from "../shell/copy";
import { breakable, button, element, replace } from "../shell/element";
import { cellDetail, cellOrder, cellText } from "../text/numbers";

const FIRST_ROWS = 10;
const FEW_MORE = 3; // rows that need no folding
const PAGE_OF_ROWS = 1000; // of a long table are drawn at once
const DENSE_COLUMNS = 9; // from here on smaller letters
const SHORT_TEXT = 16; // characters that stay in one line
const LONGEST_WORD = 24; // characters that a column waits for

export interface TableColumn<Row> {
  title: string;
  numeric: boolean;
  order: (row: Row) => number | string | null;
  cell: (row: Row) => HTMLTableCellElement;
  csv: (row: Row) => unknown;
}

interface SortState {
  column: number;
  down: boolean;
}

// What has neither number nor words goes last, whichever way the column is sorted.
function compare(a: number | string | null, b: number | string | null, down: boolean): number {
  if (a === null || b === null) {
    return a === b ? 0 : a === null ? 1 : -1;
  }
  const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  return down ? -order : order;
}

interface TableOptions<Row> {
  caption: string;
  note?: string;
  name: string; // of its CSV
  all?: boolean; // no row is folded
  sorted?: SortState;
  onSort?: (state: SortState) => void;
  row?: (row: Row, line: HTMLTableRowElement) => void;
}

export function sortableTable<Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[], options: TableOptions<Row>): HTMLElement {
  let sorted = options.sorted ?? null;
  let limit = options.all === true || rows.length <= FIRST_ROWS + FEW_MORE ? PAGE_OF_ROWS : FIRST_ROWS;
  const body = element("tbody");
  const more = button("", unfold, { class: "link more" });
  const heads = columns.map((column, index) =>
    element(
      "th",
      { class: column.numeric ? "n" : "", scope: "col" },
      element("button", { type: "button", class: "sorter", onclick: () => sortBy(index) }, column.title),
    ),
  );

  function sortBy(index: number): void {
    const down = sorted?.column === index ? !sorted.down : (columns[index]?.numeric ?? false);
    sorted = { column: index, down };
    options.onSort?.(sorted);
    draw();
  }

  function unfold(): void {
    limit = limit >= rows.length ? FIRST_ROWS : limit === FIRST_ROWS ? PAGE_OF_ROWS : limit + PAGE_OF_ROWS;
    draw();
  }

  function ordered(): readonly Row[] {
    const column = sorted === null ? undefined : columns[sorted.column];
    if (column === undefined) {
      return rows;
    }
    const down = sorted!.down;
    return rows
      .map((row) => ({ row, key: column.order(row) }))
      .sort((a, b) => compare(a.key, b.key, down))
      .map((keyed) => keyed.row);
  }

  function draw(): void {
    heads.forEach((head, index) => {
      head.removeAttribute("aria-sort");
      if (sorted?.column === index) {
        head.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      }
    });
    const lines = ordered()
      .slice(0, limit)
      .map((row) => {
        const line = element("tr", {}, ...columns.map((column) => column.cell(row)));
        options.row?.(row, line);
        return line;
      });
    replace(body, ...lines);
    more.hidden = rows.length <= FIRST_ROWS + FEW_MORE || (options.all === true && rows.length <= PAGE_OF_ROWS);
    more.textContent = limit >= rows.length ? "Fewer rows" : `${rows.length - Math.min(limit, rows.length)} more rows`;
  }

  const csv = (): string => csvText(columns.map((column) => column.title), ordered().map((row) => columns.map((column) => column.csv(row))));
  draw();
  return element(
    "div",
    { class: "table" },
    element(
      "div",
      { class: "table-bar" },
      element("h3", {}, options.caption),
      button("CSV", () => void copyText(csv(), "Table"), { class: "quiet", title: "Copy the table as CSV", "aria-label": `Copy ${options.name} as CSV` }),
    ),
    element(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": options.name },
      element("table", { class: columns.length >= DENSE_COLUMNS ? "dense" : "" }, element("thead", {}, element("tr", {}, ...heads)), body),
    ),
    more,
    options.note !== undefined && options.note !== "" && element("p", { class: "under" }, options.note),
  );
}

const longWord = (text: string): boolean => text.split(/[\s:_#]/u).some((word) => word.length > LONGEST_WORD);

function drawCell(cell: Cell, numeric: boolean): HTMLTableCellElement {
  const text = cellText(cell);
  const detail = cellDetail(cell);
  const classes = [
    numeric ? "n" : "",
    text.length <= SHORT_TEXT ? "w" : numeric && text.length > 28 ? "wrap" : "",
    longWord(text) || longWord(detail) ? "long" : "",
    cell.tone ?? "",
  ];
  return element(
    "td",
    { class: classes.filter((name) => name !== "").join(" ") },
    numeric ? text : breakable(text),
    detail !== "" && element("small", {}, detail),
  );
}

// Whether most of what stands in the column is a number, so that it is aligned at the right. A reason stands for a number.
function isNumeric(rows: readonly Cell[][], index: number): boolean {
  const cells = rows.flatMap((row) => row[index] ?? []);
  const filled = cells.filter((cell) => cell.reason === undefined && !["", "-"].includes(cellText(cell)));
  const numbers = filled.filter((cell) => typeof cellOrder(cell) === "number" || /^[-+<~]?\d[\d.,]*(?:[ %x/]|e[-+]|$)/u.test(cellText(cell)));
  return filled.length > 0 ? numbers.length * 2 > filled.length : cells.some((cell) => cell.reason !== undefined);
}

export function tableView(block: TableBlock): HTMLElement {
  const columns = block.columns.map((title, index): TableColumn<Cell[]> => {
    const numeric = isNumeric(block.rows, index);
    const at = (row: Cell[]): Cell => row[index] ?? {};
    return {
      title,
      numeric,
      order: (row) => cellOrder(at(row)),
      cell: (row) => drawCell(at(row), numeric),
      csv: (row) => (at(row).value !== undefined ? (at(row).value ?? at(row).reason ?? "") : cellText(at(row))),
    };
  });
  const drawn = columns.filter((_, index) => !(block.not_drawn ?? []).includes(index));
  return sortableTable(drawn, block.rows, { caption: block.title, note: block.note, name: block.title === "" ? "table" : block.title });
}
