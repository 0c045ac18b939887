// SPDX-License-Identifier: MIT
// One answer of the server: what is visible of some tracks, as columns over its bytes. Times are ns since the start of the trace.
import { tableFromIPC } from "@uwdata/flechette";

export type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array;
export type RowRange = readonly [number, number]; // first row and end

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
  // Of slices, and 0 for counters.
  event: Numbers;
  name: Numbers; // index of `names`
  category: Numbers;
  // Of counters, and 0 for slices.
  low: Numbers;
  high: Numbers;
  last: Numbers;
  names: string[];
  rows: Map<number, RowRange>; // of a track, whose rows lie together
  lanes: Map<number, RowRange[]>; // of a track's lanes, each in the order of time
}

export interface ViewExtent {
  from: number;
  to: number;
  nsPerPixel: number;
  tracks: ReadonlySet<number>;
}

type Table = ReturnType<typeof tableFromIPC>;

// The answer is one batch; what its columns hold where they are null is not looked at, so that none of them is copied.
function column(table: Table, name: string): Numbers {
  const batches = table.getChild(name)?.data;
  if (batches === undefined || batches.length > 1) {
    throw new Error(`The server's answer has no column ${name}. The page and the server may be of different versions: load the page again.`);
  }
  return (batches[0]?.values ?? new Uint8Array(0)) as Numbers;
}

function rowsOf(track: Numbers, lane: Numbers, count: number): Pick<ViewData, "rows" | "lanes"> {
  const rows = new Map<number, RowRange>();
  const lanes = new Map<number, RowRange[]>();
  for (let first = 0, next = 0; first < count; first = next) {
    const [ofTrack, ofLane] = [track[first]!, lane[first]!];
    while (next < count && track[next] === ofTrack && lane[next] === ofLane) {
      ++next;
    }
    const ranges = lanes.get(ofTrack) ?? [];
    ranges[ofLane] = [first, next];
    lanes.set(ofTrack, ranges);
    rows.set(ofTrack, [rows.get(ofTrack)?.[0] ?? first, next]);
  }
  return { rows, lanes };
}

// `extent`: what was asked for; the answer's times are relative to its start.
export function decodeView(bytes: ArrayBuffer, extent: ViewExtent): ViewData {
  const table = tableFromIPC(bytes, { useBigInt: false });
  const track = column(table, "track");
  const lane = column(table, "lane");
  const relative = column(table, "start");
  const count = table.numRows;
  const start = new Float64Array(count);
  for (let i = 0; i < count; ++i) {
    start[i] = relative[i]! + extent.from;
  }
  return {
    ...extent,
    count,
    track,
    lane,
    start,
    duration: column(table, "duration"),
    merged: column(table, "count"),
    event: column(table, "event"),
    name: column(table, "name"),
    category: column(table, "category"),
    low: column(table, "value_min"),
    high: column(table, "value_max"),
    last: column(table, "value_last"),
    names: JSON.parse(table.schema.metadata?.get("names") ?? "[]") as string[],
    ...rowsOf(track, lane, count),
  };
}

// The first row of a lane that may reach a time: no two of a lane overlap.
export function firstReaching(start: ArrayLike<number>, [first, end]: RowRange, time: number): number {
  let low = first;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (start[middle]! <= time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return Math.max(low - 1, first);
}
