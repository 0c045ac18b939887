// SPDX-License-Identifier: MIT
// A session's timeline, with search, statistics of a selection, idle causes and links between events.
import { fetchAbout, fetchCriticalPaths, fetchEvent, fetchSearch, fetchStatistics } from "../server/requests";
import { copyLink, saveCanvas, say } from "../shell/copy";
import { button, element, replace } from "../shell/element";
import type { Leave, Page } from "../shell/page";
import { addressOf, keepParameters, type Route } from "../shell/route";
import { failure, loading, nothing } from "../shell/states";
import { durationText, nsOf } from "../text/numbers";
import { listenToKeys } from "../timeline/controls";
import { pathShares, pathText } from "../timeline/critical_path";
import type { RelativeGap, Selected } from "../timeline/overlay";
import { TimeWindow } from "../timeline/time_window";
import { eventView, gapsView, matchesView, panelElement, panelFailure, panelLoading, showPanel, statisticsView } from "../timeline/timeline_panel";
import { TimelineView } from "../timeline/timeline_view";
import { exportDialog } from "./export_dialog";
import { keysDialog } from "./keys_dialog";

const MOST_MATCHES = 200;
const ADDRESS_DELAY = 250; // milliseconds after the last change

export const showTimeline: Page = (main, route) => {
  const name = route.subjects[0] ?? "";
  document.title = `${name} – timeline – aaco`;
  if (name === "") {
    replace(main, nothing("No session is named", "Choose one in the list of sessions."));
    return undefined;
  }
  const page = new TimelinePage(main, route, name);
  void page.start();
  return () => page.leave();
};

class TimelinePage {
  readonly #window = new TimeWindow();
  readonly #view: TimelineView;
  readonly #panel = panelElement();
  readonly #dialog = keysDialog();
  readonly #search = element("input", { type: "search", placeholder: "Search ( / )", "aria-label": "Search names of events", spellcheck: "false" });
  readonly #span = element("span", { class: "tl-span", "aria-live": "off" });
  readonly #path = element("div", { class: "tl-path", role: "status", hidden: true });
  readonly #pathButton = button("Critical path (c)", () => void this.#togglePath(), { "aria-pressed": "false" });
  readonly #legend = element("div", { class: "legend tl-causes" });
  readonly #export: HTMLDialogElement;
  readonly #perfetto = button("Open in Perfetto", () => this.#export.showModal(), { class: "quiet", hidden: true });
  readonly #leave: Leave[] = [];
  #matchIndex = -1;
  #matches: { event: number }[] = [];
  #gapIndex = -1;
  #timer = 0;
  #asked = 0; // questions so far: an answer to an older one is dropped

  constructor(
    private readonly main: HTMLElement,
    private readonly route: Route,
    private readonly name: string,
  ) {
    this.#export = exportDialog(name);
    const closed = route.parameters.getAll("closed").flatMap((list) => list.split("\n"));
    this.#view = new TimelineView(
      name,
      this.#window,
      {
        picked: (selected) => this.#picked(selected),
        ranged: (range) => void this.#ranged(range),
        folded: (names) => keepParameters({ closed: names.join("\n") }),
      },
      closed.filter((group) => group !== ""),
      route.parameters.get("painter") ?? "auto",
    );
  }

  async start(): Promise<void> {
    replace(this.main, this.#toolbar(), this.#legend, this.#path, this.#view.element, this.#panel, this.#dialog, this.#export);
    this.#view.element.addEventListener("gaps", () => this.#showCauses());
    if (!(await this.#view.start())) {
      return;
    }
    this.#restore();
    this.#leave.push(this.#window.onChange(() => this.#moved()));
    this.#leave.push(
      listenToKeys(
        this.#window,
        {
          search: () => this.#search.focus(),
          help: () => this.#dialog.showModal(),
          mark: () => this.#mark(),
          fit: () => this.#fit(),
          worstGap: () => this.#nextGap(),
          criticalPath: () => void this.#togglePath(),
          escape: () => this.#close(),
        },
        () => 0.5,
      ),
    );
    const about = await fetchAbout().catch(() => null);
    this.#perfetto.hidden = !(about?.exports ?? []).includes("perfetto");
  }

  leave(): void {
    clearTimeout(this.#timer);
    this.#view.stop();
    for (const leave of this.#leave) {
      leave();
    }
  }

  #toolbar(): HTMLElement {
    this.#search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        void this.#find(event.shiftKey);
      } else if (event.key === "Escape") {
        this.#search.blur();
      }
    });
    return element(
      "div",
      { class: "tl-bar" },
      element("h1", {}, element("a", { href: addressOf("session", [this.name]) }, this.name)),
      this.#search,
      button("Worst gaps (g)", () => this.#listGaps()),
      this.#pathButton,
      button("Whole (0)", () => this.#window.showAll()),
      element(
        "span",
        { class: "tl-tools" },
        button("−", () => this.#window.zoom(1.5), { "aria-label": "Zoom out (s)" }),
        button("+", () => this.#window.zoom(1 / 1.5), { "aria-label": "Zoom in (w)" }),
        this.#span,
      ),
      element("span", { class: "spring" }),
      element(
        "span",
        { class: "tl-tools" },
        button("Link", () => void copyLink(), { class: "quiet", "aria-label": "Copy a link to this view" }),
        button("PNG", () => saveCanvas(this.#view.picture(), `${this.name}-timeline`), { class: "quiet", "aria-label": "Save the timeline as a picture" }),
        this.#perfetto,
        button("Keys (?)", () => this.#dialog.showModal(), { class: "quiet" }),
      ),
    );
  }

  #restore(): void {
    const number = (key: string): number | null => {
      const text = this.route.parameters.get(key);
      return text === null || text === "" || !Number.isFinite(Number(text)) ? null : Number(text);
    };
    const [from, to] = [number("from"), number("to")];
    if (from !== null && to !== null && to > from) {
      this.#window.set(from, to);
    }
    this.#moved();
    const range = /^(-?[\d.]+)\.\.(-?[\d.]+)$/u.exec(this.route.parameters.get("range") ?? "");
    if (range !== null) {
      void this.#ranged([Number(range[1]), Number(range[2])]);
    }
    if (this.route.parameters.get("path") === "1") {
      void this.#togglePath();
    }
    const event = number("event");
    this.#search.value = this.route.parameters.get("q") ?? "";
    const search = this.#search.value === "" ? Promise.resolve() : this.#find(false);
    if (event !== null) {
      void search.then(() => this.#showEvent(event, false));
    }
  }

  #moved(): void {
    this.#span.textContent = durationText(this.#window.span);
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(
      () => keepParameters({ from: this.#window.from.toFixed(0), to: this.#window.to.toFixed(0) }),
      ADDRESS_DELAY,
    );
  }

  #close(): void {
    this.#panel.hidden = true;
    this.#view.select(null);
    this.#view.setRange(null);
    this.#view.showMatches("", []);
    this.#matches = [];
    keepParameters({ event: "", range: "", q: "" });
  }

  // Shows what an answer becomes, unless another question was asked since.
  async #ask(title: string, what: string, ask: () => Promise<(Node | string)[]>): Promise<void> {
    const asked = ++this.#asked;
    const close = (): void => this.#close();
    showPanel(this.#panel, title, close, panelLoading(what));
    let content: (Node | string)[];
    try {
      content = await ask();
    } catch (error) {
      content = [panelFailure(error)];
    }
    if (asked === this.#asked) {
      showPanel(this.#panel, title, close, ...content);
    }
  }

  #picked(selected: Selected | null): void {
    if (selected === null) {
      this.#panel.hidden = true;
      ++this.#asked;
      keepParameters({ event: "", range: "" });
    } else {
      void this.#showEvent(selected.event, true);
    }
  }

  async #showEvent(row: number, isSelected: boolean): Promise<void> {
    keepParameters({ event: String(row) });
    await this.#ask("Event", "the event", async () => {
      const event = await fetchEvent(this.name, row);
      const start = this.#view.relative(event.start_ns);
      const duration = nsOf(event.duration_ns) ?? 0; // its place alone
      if (!isSelected) {
        if (start < this.#window.from || start + duration > this.#window.to) {
          this.#window.show(start, duration);
        }
        this.#view.select({ event: row, track: event.track, lane: this.#view.laneOf(row), start, duration });
      }
      this.#view.showFlows(event.flows.map((flow) => ({ track: flow.track, start: this.#view.relative(flow.start_ns) })));
      const go = (target: number): void => void this.#showEvent(target, false);
      return [element("p", { class: "tl-event" }, event.name), ...eventView(event, this.#view, go)];
    });
  }

  async #ranged(range: readonly [number, number] | null): Promise<void> {
    this.#view.setRange(range);
    if (range === null) {
      return;
    }
    keepParameters({ range: `${range[0].toFixed(0)}..${range[1].toFixed(0)}`, event: "" });
    await this.#ask(`Selection of ${durationText(range[1] - range[0])}`, "statistics", async () => {
      const at = (ns: number): bigint => this.#view.startNs + BigInt(Math.round(ns));
      return statisticsView(await fetchStatistics(this.name, at(range[0]), at(range[1]), this.#view.visibleTracks()), this.#view);
    });
  }

  async #find(backwards: boolean): Promise<void> {
    const text = this.#search.value.trim();
    if (text === "") {
      this.#view.showMatches("", []);
      return;
    }
    if (this.route.parameters.get("q") === text && this.#matches.length > 0) {
      this.#matchIndex = (this.#matchIndex + (backwards ? this.#matches.length - 1 : 1)) % this.#matches.length;
      void this.#showEvent(this.#matches[this.#matchIndex]!.event, false);
      return;
    }
    this.route.parameters.set("q", text);
    keepParameters({ q: text });
    await this.#ask(`Search for “${text}”`, "matches", async () => {
      const answer = await fetchSearch(this.name, text, MOST_MATCHES);
      this.#matches = answer.matches;
      this.#matchIndex = -1;
      this.#view.showMatches(text, answer.matches);
      return answer.matches.length === 0
        ? ["No event has this name."]
        : [matchesView(answer, this.#view, (row) => void this.#showEvent(row, false))];
    });
  }

  async #togglePath(): Promise<void> {
    const shows = this.#path.hidden;
    this.#path.hidden = !shows;
    this.#pathButton.setAttribute("aria-pressed", String(shows));
    keepParameters({ path: shows ? "1" : "" });
    if (!shows) {
      this.#view.showPaths([]);
      return;
    }
    replace(this.#path, loading("the critical path"));
    try {
      const paths = await fetchCriticalPaths(this.name);
      if (this.#path.hidden) {
        return;
      }
      this.#view.showPaths(paths);
      const lines = paths.map((path) => element("p", {}, element("strong", {}, pathText(path)), ` (${pathShares(path)})`));
      replace(this.#path, ...(lines.length > 0 ? lines : [element("p", {}, "No critical path: no work of a device is recorded.")]));
    } catch (error) {
      replace(this.#path, failure(error));
    }
  }

  // "m" makes the selected event the range, so that its statistics show.
  #mark(): void {
    const { selected } = this.#view;
    if (selected === null) {
      say("Select an event first, then m marks its time");
      return;
    }
    void this.#ranged([selected.start, selected.start + selected.duration]);
  }

  #fit(): void {
    const { selected, range } = this.#view;
    if (range !== null) {
      this.#window.show(range[0], range[1] - range[0]);
    } else if (selected !== null) {
      this.#window.show(selected.start, selected.duration);
    }
  }

  #showCauses(): void {
    replace(
      this.#legend,
      ...[...this.#view.causes].map(([cause, index]) => element("span", {}, element("i", { class: `c${index} striped`, "aria-hidden": "true" }), cause)),
    );
  }

  #goToGap(gap: RelativeGap): void {
    this.#window.show(gap.start, gap.duration);
    this.#view.setRange([gap.start, gap.start + gap.duration]);
  }

  #nextGap(): void {
    if (this.#view.gaps.length === 0) {
      say("No idle causes are known for this session");
      return;
    }
    this.#gapIndex = (this.#gapIndex + 1) % this.#view.gaps.length;
    const gap = this.#view.gaps[this.#gapIndex]!;
    this.#goToGap(gap);
    const title = `Gap ${this.#gapIndex + 1} of ${this.#view.gaps.length}: ${durationText(gap.duration)}`;
    ++this.#asked;
    showPanel(this.#panel, title, () => this.#close(), `${gap.cause}: ${gap.detail} (${this.#view.trackName(gap.track)})`);
  }

  #listGaps(): void {
    ++this.#asked;
    const content =
      this.#view.gaps.length === 0 ? "No idle causes are known for this session." : gapsView(this.#view.gaps, this.#view, (gap) => this.#goToGap(gap));
    showPanel(this.#panel, "Worst gaps", () => this.#close(), content);
  }
}
