// SPDX-License-Identifier: MIT
// One answer of the server: what is visible of some tracks, as columns. Times are ns since the start of the trace.
import { tableFromIPC } from "@uwdata/flechette";

type Numbers = ArrayLike<number>;

export interface ViewData {
  from: number;
  to: number;
  nsPerPixel: number;
  tracks: ReadonlySet<number>;
  count: number; // of rows
  track: Numbers;
  lane: Numbers;
  start: Float64Array;
  duration: Numbers;
  merged: Numbers; // events in the row; 1: it is one event
  event: Numbers;
  name: Int32Array; // index of `names`; -1: none
  category: Numbers;
  low: ArrayLike<number | null>;
  high: ArrayLike<number | null>;
  last: ArrayLike<number | null>;
  names: string[];
  rows: Map<number, [number, number]>; // of a track: first row and end, where rows lie together
}

export interface ViewExtent {
  from: number;
  to: number;
  nsPerPixel: number;
  tracks: ReadonlySet<number>;
}

type Table = ReturnType<typeof tableFromIPC>;

function column(table: Table, name: string): ArrayLike<never> {
  const child = table.getChild(name);
  if (child === null || child === undefined) {
    throw new Error(`The server's answer has no column ${name}. The page and the server may be of different versions: load the page again.`);
  }
  return child.toArray() as unknown as ArrayLike<never>;
}

// Names are words of a dictionary, or numbers that index the list in the metadata.
function namesOf(table: Table): [Int32Array, string[]] {
  const values = column(table, "name") as ArrayLike<string | number | null>;
  const indices = new Int32Array(values.length).fill(-1);
  const listed = table.schema.metadata?.get("names");
  if (listed !== undefined) {
    for (let i = 0; i < values.length; ++i) {
      indices[i] = values[i] === null ? -1 : Number(values[i]);
    }
    return [indices, JSON.parse(listed) as string[]];
  }
  const names: string[] = [];
  const known = new Map<string, number>();
  for (let i = 0; i < values.length; ++i) {
    const name = values[i];
    if (name !== null) {
      let index = known.get(String(name));
      if (index === undefined) {
        index = names.push(String(name)) - 1;
        known.set(String(name), index);
      }
      indices[i] = index;
    }
  }
  return [indices, names];
}

// `offset`: the extent's start in ns; the answer's times are relative to it.
export function decodeView(bytes: ArrayBuffer, extent: ViewExtent): ViewData {
  const table = tableFromIPC(bytes, { useBigInt: false });
  const [name, names] = namesOf(table);
  const track = column(table, "track") as Numbers;
  const relative = column(table, "start") as Numbers;
  const start = new Float64Array(relative.length);
  const rows = new Map<number, [number, number]>();
  for (let i = 0; i < start.length; ++i) {
    start[i] = relative[i]! + extent.from;
    const range = rows.get(track[i]!);
    if (range === undefined) {
      rows.set(track[i]!, [i, i + 1]);
    } else {
      range[1] = i + 1;
    }
  }
  return {
    ...extent,
    count: start.length,
    track,
    lane: column(table, "lane"),
    start,
    duration: column(table, "duration"),
    merged: column(table, "count"),
    event: column(table, "event"),
    name,
    category: column(table, "category"),
    low: column(table, "value_min"),
    high: column(table, "value_max"),
    last: column(table, "value_last"),
    names,
    rows,
  };
}
