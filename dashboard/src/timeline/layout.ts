// SPDX-License-Identifier: MIT
// Where each track lies: groups below each other, tracks in their groups. CSS pixels from the top of the whole.
import type { Track } from "../server/documents";

export const LANE = 18;
const COUNTER = 40;
const GROUP = 24;
const GAP = 5;
const MOST_LANES = 40; // of a track that is drawn in full

export interface TrackRow {
  track: Track;
  top: number;
  height: number;
}

export interface GroupRow {
  name: string;
  top: number;
  tracks: Track[];
  closed: boolean;
}

export interface Layout {
  groups: GroupRow[];
  rows: TrackRow[];
  byTrack: Map<number, TrackRow>;
  height: number;
}

export function layOut(tracks: readonly Track[], closed: ReadonlySet<string>): Layout {
  const groups = new Map<string, Track[]>();
  for (const track of tracks) {
    if (track.events > 0) {
      const list = groups.get(track.group) ?? [];
      list.push(track);
      groups.set(track.group, list);
    }
  }
  const layout: Layout = { groups: [], rows: [], byTrack: new Map(), height: 0 };
  let top = 0;
  for (const [name, members] of groups) {
    const isClosed = closed.has(name);
    layout.groups.push({ name, top, tracks: members, closed: isClosed });
    top += GROUP;
    for (const track of isClosed ? [] : members) {
      const height = track.type === "counter" ? COUNTER : Math.min(Math.max(track.lanes, 1), MOST_LANES) * LANE;
      const row = { track, top, height };
      layout.rows.push(row);
      layout.byTrack.set(track.id, row);
      top += height + GAP;
    }
  }
  layout.height = top + GAP;
  return layout;
}

export const visibleRows = (layout: Layout, top: number, height: number): TrackRow[] =>
  layout.rows.filter((row) => row.top + row.height >= top && row.top <= top + height);
