// SPDX-License-Identifier: MIT
// One opaque canvas, for browsers that have no WebGL 2 or compute it without a GPU.
import { element } from "../shell/element";
import { visibleRows } from "./layout";
import { NameMasks } from "./name_masks";
import { drawOver, LEAST_NAME, MOST_NAMES, type OverlayScene, type RelativeGap, ticksOfScene } from "./overlay";
import type { Painter } from "./painter";
import { coloursOfNames, Raster, type RasterGap } from "./raster";
import { currentTones, MUTED } from "./tones";
import type { ViewData } from "./view_data";

const ELLIPSIS = "…";
const NAME_ROOM = 4; // CSS pixels at each side of a name

interface NamedPlace {
  name: number;
  left: number;
  right: number;
  top: number;
}

class RasterPainter implements Painter {
  readonly kind = "canvas";
  readonly layers: readonly HTMLCanvasElement[];
  readonly #context: CanvasRenderingContext2D;
  readonly #masks = new NameMasks();
  #raster: Raster | null = null;
  #ratio = 1;
  #nameColours: Uint8Array = new Uint8Array(0);
  #gaps: readonly RelativeGap[] = [];
  #gapsOfTrack = new Map<number, RasterGap[]>();
  #drawn: OverlayScene | null = null; // what the raster holds
  #lacksNames = false;

  constructor() {
    const canvas = element("canvas", { class: "tl-paint", "aria-hidden": "true" });
    this.layers = [canvas];
    this.#context = canvas.getContext("2d", { alpha: false, willReadFrequently: true })!; // in memory, where its pixels come from
  }

  load(data: ViewData): void {
    this.#nameColours = coloursOfNames(data.names);
    this.#raster?.useTones(currentTones()); // the theme may be another one
    this.#drawn = null;
  }

  resize(width: number, height: number, ratio: number): void {
    const { canvas } = this.#context;
    canvas.width = Math.max(Math.round(width * ratio), 1);
    canvas.height = Math.max(Math.round(height * ratio), 1);
    this.#ratio = ratio;
    this.#raster = new Raster(canvas.width, canvas.height, ratio, currentTones());
    this.#drawn = null;
  }

  paint(scene: OverlayScene): boolean {
    const raster = this.#raster;
    if (raster === null) {
      return true;
    }
    if (!this.#holds(scene)) {
      this.#fill(raster, scene);
    }
    this.#context.putImageData(raster.image, 0, 0);
    drawOver(this.#context, scene, this.#ratio);
    return !this.#lacksNames;
  }

  // Where the pointer or the selection alone changed, the pixels are the same.
  #holds(scene: OverlayScene): boolean {
    const drawn = this.#drawn;
    return (
      drawn !== null &&
      !this.#lacksNames &&
      drawn.from === scene.from &&
      drawn.span === scene.span &&
      drawn.scroll === scene.scroll &&
      drawn.data === scene.data &&
      drawn.layout === scene.layout &&
      drawn.gaps === scene.gaps
    );
  }

  #fill(raster: Raster, scene: OverlayScene): void {
    const ratio = this.#ratio;
    this.#takeGaps(scene);
    const ticks = ticksOfScene(scene).map((tick) => Math.round(((tick.at - scene.from) / scene.span) * raster.width));
    raster.begin(scene, ticks, scene.layout.groups);
    const places: NamedPlace[] = [];
    const names = (name: number, left: number, right: number, top: number): void => {
      if (right - left >= LEAST_NAME * ratio && places.length < MOST_NAMES) {
        places.push({ name, left, right, top });
      }
    };
    for (const row of visibleRows(scene.layout, scene.scroll, scene.height)) {
      if (scene.data !== null && row.track.type === "counter") {
        raster.addCounter(scene.data, row);
      } else if (scene.data !== null) {
        raster.addSlices(scene.data, row, this.#nameColours, names);
      }
      const gaps = this.#gapsOfTrack.get(row.track.id);
      if (gaps !== undefined) {
        raster.addGaps(gaps, row);
      }
    }
    this.#addNames(raster, places, scene.data?.names ?? []);
    this.#drawn = scene;
  }

  #addNames(raster: Raster, places: readonly NamedPlace[], names: readonly string[]): void {
    const room = Math.round(NAME_ROOM * this.#ratio);
    this.#masks.begin(this.#ratio);
    const ellipsis = this.#masks.get(ELLIPSIS);
    for (const { name, left, right, top } of places) {
      const mask = this.#masks.get(names[name] ?? "");
      if (mask !== null) {
        raster.addName(mask, ellipsis, left + room, right - room, top);
      }
    }
    this.#lacksNames = this.#masks.lacks;
  }

  #takeGaps(scene: OverlayScene): void {
    if (this.#gaps === scene.gaps) {
      return;
    }
    this.#gaps = scene.gaps;
    this.#gapsOfTrack = new Map();
    for (const gap of scene.gaps) {
      const list = this.#gapsOfTrack.get(gap.track) ?? [];
      list.push({ start: gap.start, duration: gap.duration, tone: scene.causes.get(gap.cause) ?? MUTED });
      this.#gapsOfTrack.set(gap.track, list);
    }
  }
}

export const rasterPainter = (): Painter => new RasterPainter();
