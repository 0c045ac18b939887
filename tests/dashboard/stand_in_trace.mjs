// SPDX-License-Identifier: MIT
// Traces of the stand-in: one from files of Chrome's form, one computed, of any number of events without any of them in memory.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const PIXEL_EVENTS = 1; // more in a pixel are merged

// Slices of one lane, sorted by start, merged where several start in a pixel: the longest stands for them.
function mergedRows(track, lane, slices, from, to, width) {
  const pixel = (to - from) / width;
  const rows = [];
  for (const slice of slices) {
    if (slice.start + slice.duration < from || slice.start > to) {
      continue;
    }
    const last = rows[rows.length - 1];
    if (last !== undefined && last.duration < pixel && slice.duration < pixel && Math.floor((slice.start - from) / pixel) === Math.floor(last.start / pixel)) {
      last.count += 1;
      if (slice.duration > last.longest) {
        Object.assign(last, { longest: slice.duration, event: slice.event, name: slice.name, category: slice.category });
      }
      last.duration = Math.max(slice.start + slice.duration - from - last.start, pixel * PIXEL_EVENTS);
      continue;
    }
    rows.push({ track, lane, start: slice.start - from, duration: slice.duration, count: 1, longest: slice.duration, event: slice.event, name: slice.name, category: slice.category });
  }
  return rows;
}

// Lanes of slices that overlap: each goes into the first lane that is free.
function laneOf(ends, slice) {
  const lane = ends.findIndex((end) => end <= slice.start);
  const chosen = lane < 0 ? ends.length : lane;
  ends[chosen] = slice.start + slice.duration;
  return chosen;
}

export function goldenTrace(folder, files) {
  const names = [];
  const categories = [];
  const indexIn = (list, word) => (list.includes(word) ? list.indexOf(word) : list.push(word) - 1);
  const tracks = new Map();
  const events = [];
  const starts = [];
  files.forEach((file, rank) => {
    const { traceEvents } = JSON.parse(readFileSync(join(folder, file), "utf8"));
    for (const each of traceEvents.filter((event) => event.ph === "X" && Number.isFinite(event.ts))) {
      const isDevice = each.args?.stream !== undefined;
      const key = `${rank}/${each.pid}/${each.tid}`;
      if (!tracks.has(key)) {
        tracks.set(key, {
          id: tracks.size, parent: -1, group: `rank ${rank} / ${isDevice ? `device ${each.args.device}` : "host"}`,
          name: isDevice ? `stream ${each.args.stream}` : `thread ${each.tid}`, type: "slices", lanes: 1, events: 0, unit: null, min: null, max: null,
        });
      }
      events.push({ track: tracks.get(key), start: each.ts * 1000, duration: (each.dur ?? 0) * 1000, nameText: each.name, category: indexIn(categories, each.cat ?? "other"), args: each.args ?? {} });
      starts.push(each.ts * 1000);
    }
  });
  const zero = Math.min(...starts);
  events.sort((a, b) => a.start - b.start);
  const ends = new Map();
  events.forEach((event, row) => {
    Object.assign(event, { event: row, start: event.start - zero, name: indexIn(names, event.nameText) });
    const lanes = ends.get(event.track) ?? [];
    ends.set(event.track, lanes);
    event.lane = laneOf(lanes, event);
    event.track.lanes = lanes.length;
    event.track.events += 1;
  });
  const list = [...tracks.values()];
  const startNs = 1_000_000n;
  const whole = Math.max(...events.map((event) => event.start + event.duration));
  const text = (ns) => String(startNs + BigInt(Math.round(ns)));
  const partners = (event) => events.filter((other) => other !== event && other.args.correlation !== undefined && other.args.correlation === event.args.correlation && other.track.group.split(" / ")[0] === event.track.group.split(" / ")[0]);
  return {
    startNs, names,
    document: () => ({ start_ns: String(startNs), end_ns: text(whole), origin_wall_ns: null, categories: categories.map((name, id) => ({ id, name })), tracks: list }),
    view: (track, from, to, width) =>
      Array.from({ length: list[track].lanes }, (_, lane) => mergedRows(track, lane, events.filter((event) => event.track.id === track && event.lane === lane), from, to, width)).flat(),
    event: (row) => {
      const event = events[row];
      const flows = partners(event).map((other) => ({ to: other.event, track: other.track.id, start_ns: text(other.start) }));
      return { name: event.nameText, track: event.track.id, start_ns: text(event.start), duration_ns: event.duration, category: categories[event.category], arguments: event.args, flows, idle_cause: null };
    },
    search: (query, limit) => {
      const hits = events.filter((event) => event.nameText.toLowerCase().includes(query.toLowerCase()));
      return { matches: hits.slice(0, limit).map((event) => ({ event: event.event, name: event.nameText, track: event.track.id, start_ns: text(event.start), duration_ns: event.duration })), total: hits.length, truncated: hits.length > limit };
    },
    statistics: (from, to) => {
      const within = events.filter((event) => event.start < to && event.start + event.duration > from);
      const rows = [...new Set(within.map((event) => event.nameText))].map((name) => {
        const same = within.filter((event) => event.nameText === name);
        const total = same.reduce((sum, event) => sum + event.duration, 0);
        return { name, category: categories[same[0].category], count: same.length, total_ns: total, mean_ns: total / same.length, longest_ns: Math.max(...same.map((event) => event.duration)) };
      });
      const busy = list.map((track) => {
        const ns = within.filter((event) => event.track === track && event.lane === 0).reduce((sum, event) => sum + Math.min(event.start + event.duration, to) - Math.max(event.start, from), 0);
        return { track: track.id, busy_ns: ns, share: ns / (to - from) };
      });
      return { rows, busy };
    },
    // The longest events that do not overlap, with waits between them.
    criticalPaths: () => {
      const chosen = [];
      for (const event of [...events].sort((a, b) => b.duration - a.duration).slice(0, 200)) {
        if (!chosen.some((other) => other.start < event.start + event.duration && event.start < other.start + other.duration)) {
          chosen.push(event);
        }
      }
      chosen.sort((a, b) => a.start - b.start);
      const rows = chosen.flatMap((event, i) => {
        const end = event.start + event.duration;
        const next = chosen[i + 1];
        const own = { start: event.start, duration: event.duration, track: event.track.id, lane: event.lane, kind: 0, name: event.name, event: event.event };
        return next === undefined || next.start <= end ? [own] : [own, { start: end, duration: next.start - end, track: next.track.id, lane: 0, kind: 1, name: next.name, event: null }];
      });
      const sum = (kind) => rows.filter((row) => row.kind === kind).reduce((total, row) => total + row.duration, 0);
      const column = (key) => rows.map((row) => row[key]);
      const keys = ["start", "duration", "track", "lane", "kind", "name", "event"];
      return [{
        title: "critical path of 2 ranks", ranks: [], window_ns: whole, length_ns: sum(0), changes_of_rank: 0, inferred_waits: 0, segments_in_all: rows.length, segments_ns: sum(0) + sum(1),
        kinds: [{ kind: "computation", words: "computation", total_ns: sum(0) }, { kind: "launch_delay", words: "launch delay", total_ns: sum(1) }],
        segments: { names, ...Object.fromEntries(keys.map((key) => [key, column(key)])) },
      }];
    },
    gaps: () => {
      const causes = ["launched too late", "host busy in a range", "waiting for a copy"];
      const device = list.filter((track) => track.name.startsWith("stream"));
      return device
        .flatMap((track) => {
          const own = events.filter((event) => event.track === track);
          return own.slice(1).map((event, i) => ({ track: track.id, from: own[i].start + own[i].duration, to: event.start }));
        })
        .filter((gap) => gap.to - gap.from > 2000)
        .sort((a, b) => b.to - b.from - (a.to - a.from))
        .map((gap, i) => ({ track: gap.track, start_ns: text(gap.from), duration_ns: gap.to - gap.from, cause: causes[i % causes.length], detail: "the host launched 12.0 us after the device was idle" }));
    },
  };
}

// 40 streams of equal slices, one stream with a single short event in the middle, and a counter with a single high sample.
const STREAMS = 40;
const PERIOD = 1000; // ns
const BUSY = 800; // ns of a period

export function computedTrace(count) {
  const each = count / STREAMS;
  const whole = each * PERIOD;
  const spike = { start: whole / 2, duration: 300, event: count, name: 4, category: 1 };
  const names = ["gemm", "relu", "copy", "reduce", "spike"];
  const slices = (id, lanes, events) => ({ id, parent: -1, group: id < STREAMS ? `device ${Math.floor(id / 8)}` : "rare", name: id < STREAMS ? `stream ${id}` : "spike alone", type: "slices", lanes, events, unit: null, min: null, max: null });
  const tracks = [
    { id: STREAMS + 1, parent: -1, group: "rare", name: "power", type: "counter", lanes: 1, events: each, unit: "W", min: 100, max: 700 },
    slices(STREAMS, 1, 1),
    ...Array.from({ length: STREAMS }, (_, id) => slices(id, 1, each)),
  ];
  const event = (track, i) => ({ start: i * PERIOD + track * 20, duration: BUSY - 10 * (i % 7), event: track * each + i, name: i % 4, category: 0 });
  const streamView = (track, from, to, width) => {
    const pixel = (to - from) / width;
    const first = Math.max(Math.floor(from / PERIOD) - 1, 0);
    const last = Math.min(Math.ceil(to / PERIOD) + 1, each - 1);
    if (pixel < PERIOD) {
      return mergedRows(track, 0, Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => event(track, first + i)), from, to, width);
    }
    return Array.from({ length: width }, (_, x) => {
      const i = Math.min(Math.max(Math.round((from + x * pixel) / PERIOD), 0), each - 1);
      return { track, lane: 0, start: x * pixel, duration: pixel, count: Math.max(Math.round(pixel / PERIOD), 2), longest: BUSY, event: track * each + i, name: i % 4, category: 0 };
    });
  };
  const powerView = (from, to, width) => {
    const pixel = (to - from) / width;
    return Array.from({ length: width }, (_, x) => {
      const at = from + x * pixel;
      const level = 300 + 60 * Math.sin(at / (whole / 40));
      const high = at <= whole / 4 && whole / 4 < at + pixel ? 700 : level + 8;
      return { track: STREAMS + 1, lane: 0, start: x * pixel, duration: pixel, count: 2, longest: null, event: null, name: null, category: 0, value_min: level - 8, value_max: high, value_last: level };
    });
  };
  return {
    startNs: 9_007_199_254_740_993_000n, names,
    document: () => ({ start_ns: "9007199254740993000", end_ns: String(9_007_199_254_740_993_000n + BigInt(whole)), origin_wall_ns: null, categories: [{ id: 0, name: "kernel" }, { id: 1, name: "rare" }], tracks }),
    view: (track, from, to, width) => (track === STREAMS + 1 ? powerView(from, to, width) : track === STREAMS ? mergedRows(track, 0, [spike], from, to, width) : streamView(track, from, to, width)),
    event: (row) => {
      const found = row === count ? { ...spike, track: STREAMS } : { ...event(Math.floor(row / each), row % each), track: Math.floor(row / each) };
      return { name: names[found.name], track: found.track, start_ns: String(9_007_199_254_740_993_000n + BigInt(Math.round(found.start))), duration_ns: found.duration, category: "kernel", arguments: { grid: [64, 1, 1] }, flows: [], idle_cause: null };
    },
    search: () => ({ matches: [{ event: count, name: "spike", track: STREAMS, start_ns: String(9_007_199_254_740_993_000n + BigInt(spike.start)), duration_ns: spike.duration }], total: 1, truncated: false }),
    statistics: (from, to) => ({ rows: names.slice(0, 4).map((name, i) => ({ name, category: "kernel", count: Math.round(((to - from) / PERIOD / 4) * STREAMS), total_ns: ((to - from) * BUSY * STREAMS) / PERIOD / 4, mean_ns: BUSY - i, longest_ns: BUSY })), busy: [] }),
    criticalPaths: () => [],
    gaps: () => [],
  };
}
