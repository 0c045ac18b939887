// SPDX-License-Identifier: MIT
// What runs now. The server tells about each session at most once a second.
import uPlot from "uplot";
import type { LiveSession, SessionList } from "../server/documents";
import { fetchSessions } from "../server/requests";
import { element, replace } from "../shell/element";
import type { Page } from "../shell/page";
import { addressOf } from "../shell/route";
import { loading, nothing } from "../shell/states";
import { colour, onTheme, seriesColour } from "../shell/theme";
import { textInUnit } from "../text/numbers";
import { stateBadge } from "./sessions_page";

const CHART_HEIGHT = 150;
const QUIET = 4000; // milliseconds without a word until the page says so

export const showLive: Page = (main) => {
  document.title = "Live – aaco";
  const page = new LivePage(main);
  return () => page.leave();
};

class LivePage {
  readonly #cards = new Map<string, LiveCard>();
  readonly #state = element("p", { class: "sub", role: "status" });
  readonly #list = element("div", { class: "live" });
  readonly #events = new EventSource("/api/live");
  readonly #timer: number;
  #heard = performance.now();

  constructor(main: HTMLElement) {
    replace(main, element("h1", {}, "Live"), this.#state, this.#list);
    replace(this.#list, loading("what runs"));
    this.#events.addEventListener("session", (event) => this.#take(JSON.parse((event as MessageEvent<string>).data) as LiveSession));
    this.#events.addEventListener("sessions", () => void this.#compareWithList());
    this.#events.addEventListener("open", () => this.#hear());
    this.#events.addEventListener("error", () => this.#say());
    this.#timer = window.setInterval(() => this.#say(), 1000);
    this.#say();
  }

  leave(): void {
    this.#events.close();
    clearInterval(this.#timer);
  }

  #hear(): void {
    this.#heard = performance.now();
    if (this.#cards.size === 0) {
      replace(this.#list, nothing("Nothing runs", "Start a measurement: it shows here within a second."));
    }
    this.#say();
  }

  // A session may end while the page hears nothing: no event tells of it, the list does.
  async #compareWithList(): Promise<void> {
    this.#hear();
    const shown = [...this.#cards];
    if (shown.length === 0) {
      return;
    }
    let list: SessionList;
    try {
      list = await fetchSessions();
    } catch {
      return; // #say tells that the server does not answer
    }
    for (const [name, card] of shown) {
      const row = list.sessions.find((session) => session.name === name);
      if (row === undefined) {
        card.element.remove();
        this.#cards.delete(name);
      } else if (row.state !== "running") {
        card.end(row.state);
      }
    }
    this.#hear();
  }

  #say(): void {
    const quiet = performance.now() - this.#heard;
    const words = ["Connecting …", "Connected.", "The server does not answer. The page goes on trying."][this.#events.readyState] ?? "";
    const running = [...this.#cards.values()].some((card) => card.runs);
    this.#state.textContent = running && quiet > QUIET ? `No news for ${Math.round(quiet / 1000)} s.` : words;
  }

  #take(session: LiveSession): void {
    let card = this.#cards.get(session.name);
    if (card === undefined) {
      card = new LiveCard(session.name);
      if (this.#cards.size === 0) {
        replace(this.#list);
      }
      this.#cards.set(session.name, card);
      this.#list.prepend(card.element);
    }
    card.take(session);
    this.#hear();
  }
}

class LiveCard {
  readonly element = element("article", { class: "card" });
  runs = true;
  #last: LiveSession | null = null;
  readonly #head = element("div", { class: "title" });
  readonly #progress = element("div", { class: "progress" });
  readonly #figures = element("div", { class: "figures" });
  readonly #charts = element("div", { class: "grid" });
  readonly #plots = new Map<string, LiveChart>();

  constructor(name: string) {
    this.element.setAttribute("aria-label", name);
    this.element.append(this.#head, this.#progress, this.#figures, this.#charts);
  }

  // It keeps the figures that were told last.
  end(state: string): void {
    if (this.#last !== null) {
      this.take({ ...this.#last, state });
    }
  }

  take(session: LiveSession): void {
    this.#last = session;
    this.runs = session.state === "running";
    replace(
      this.#head,
      element("h2", {}, element("a", { href: addressOf("session", [session.name]) }, session.name), stateBadge(session.state)),
      element("span", { class: "sub" }, session.kind),
    );
    this.#showProgress(session);
    replace(
      this.#figures,
      ...session.figures.map((figure) =>
        element(
          "div",
          { class: "figure neutral" },
          element("span", {}, figure.name),
          element("b", {}, typeof figure.value === "number" ? textInUnit(figure.value, figure.unit) : (figure.value ?? "no data")),
        ),
      ),
    );
    for (const series of session.series) {
      let chart = this.#plots.get(series.name);
      if (chart === undefined) {
        chart = new LiveChart(series.name, series.unit ?? "", this.#plots.size);
        this.#plots.set(series.name, chart);
        this.#charts.append(chart.element);
      }
      chart.set(series.t, series.y);
    }
  }

  #showProgress(session: LiveSession): void {
    const progress = session.progress;
    const { done, total } = progress ?? {};
    if (progress === null || progress === undefined || (done === undefined && progress.text === undefined)) {
      replace(this.#progress);
      return;
    }
    const known = done !== undefined && total !== undefined && total > 0;
    const text = progress.text ?? `${done}${total === undefined ? "" : ` of ${total}`} ${progress.unit ?? ""}`;
    replace(this.#progress, known && element("progress", { value: done, max: total, "aria-label": "Progress" }), element("span", {}, text));
  }
}

// The server sends a series whole; only the last minutes are in it.
class LiveChart {
  readonly element: HTMLElement;
  readonly #place = element("div", { class: "plot" });
  readonly #last = element("span", {});
  #plot: uPlot | null = null;
  #data: uPlot.AlignedData = [[], []];

  constructor(
    name: string,
    private readonly unit: string,
    private readonly index: number,
  ) {
    this.#place.setAttribute("role", "img");
    this.#place.setAttribute("aria-label", `${name} over time`);
    this.element = element("figure", {}, element("figcaption", {}, element("b", {}, name), this.#last), this.#place);
    new ResizeObserver((entries) => this.#draw(Math.floor(entries[0]?.contentRect.width ?? 0))).observe(this.#place);
    onTheme(this.element, () => this.#plot?.redraw(false));
  }

  set(t: number[], y: (number | null)[]): void {
    this.#data = [t, y];
    const last = y[y.length - 1];
    this.#last.textContent = last === null || last === undefined ? "no data" : textInUnit(last, this.unit);
    this.#plot?.setData(this.#data);
  }

  #draw(width: number): void {
    if (width <= 0) {
      return;
    }
    if (this.#plot !== null) {
      this.#plot.setSize({ width, height: CHART_HEIGHT });
      return;
    }
    const axis = { stroke: () => colour("soft"), grid: { stroke: () => colour("grid"), width: 1 }, ticks: { stroke: () => colour("line"), width: 1 }, font: "11px system-ui, sans-serif" };
    const write = (_: uPlot, values: (number | null)[]): string[] => values.map((value) => (value === null ? "" : textInUnit(value, this.unit)));
    this.#plot = new uPlot(
      {
        width,
        height: CHART_HEIGHT,
        legend: { show: false },
        scales: { x: { time: false } },
        padding: [10, 12, 0, 0],
        axes: [{ ...axis, size: 28, values: (_, values) => values.map((value) => `${value} s`) }, { ...axis, size: 72, values: write }],
        series: [{}, { stroke: () => seriesColour(this.index), width: 1.6, points: { show: false } }],
      },
      this.#data,
      this.#place,
    );
  }
}
