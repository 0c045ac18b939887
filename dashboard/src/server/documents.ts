// SPDX-License-Identifier: MIT
// What the server answers. 64-bit times that may exceed 2^53 are decimal texts.
import type { Report } from "./report_document";

export interface About {
  version: string;
  sessions_folder: string;
  sessions: number;
  read_only: boolean;
  exports?: string[];
}

export interface SessionRow {
  name: string;
  path: string;
  kind: string;
  subject: string | null;
  device: string | null;
  state: string;
  started_wall_ns: string;
  duration_s: number | null;
  bytes: number;
  headline: string | null;
  tags: string[];
}

export interface SessionList {
  sessions: SessionRow[];
  skipped: { name: string; why: string }[];
}

export interface SessionFile {
  path: string;
  bytes: number;
}

export interface Diff {
  report: Report;
  document: unknown;
}

export interface Track {
  id: number;
  parent: number;
  group: string;
  name: string;
  type: "slices" | "counter";
  lanes: number;
  events: number;
  unit?: string | null;
  min?: number | null;
  max?: number | null;
}

export interface TimelineTracks {
  start_ns: string;
  end_ns: string;
  origin_wall_ns: string | null;
  categories: { id: number; name: string }[];
  tracks: Track[];
}

export interface TimelineEvent {
  name: string;
  track: number;
  start_ns: string;
  duration_ns: string | number | null; // null: it is not known
  category: number | string; // of the tracks document, or its name
  arguments: Record<string, unknown>;
  flows: { to: number; track: number; start_ns: string }[];
  flows_truncated?: boolean; // there are more
  idle_cause: Record<string, unknown> | null;
}

export interface SearchMatch {
  event: number;
  name: string;
  track: number;
  start_ns: string;
  duration_ns: string | number | null; // null: it is not known
}

export interface SearchAnswer {
  matches: SearchMatch[];
  total: number;
  truncated: boolean;
}

export interface Statistics {
  rows: { name: string; category: number | string; count: number; total_ns: number; mean_ns: number; longest_ns: number }[];
  busy: { track: number; busy_ns: number; share: number }[];
}

export interface Gap {
  track: number;
  start_ns: string;
  duration_ns: string | number;
  cause: string;
  detail: string;
}

// Columns of the longest segments, in the order of time; null: of no track that is drawn, or no event.
export interface PathSegments {
  names: string[];
  start: number[]; // ns since the start of the timeline
  duration: number[];
  track: (number | null)[];
  lane: number[];
  kind: number[]; // index of the path's kinds
  name: number[];
  event: (number | null)[];
}

export interface CriticalPath {
  title: string;
  window_ns: number;
  length_ns: number;
  kinds: { kind: string; words: string; total_ns: number }[];
  segments_in_all: number;
  segments_ns: number;
  segments: PathSegments;
}

export interface QueryAnswer {
  columns: { name: string; type: string }[];
  rows: unknown[][];
  truncated: boolean;
  milliseconds: number;
}

export interface LiveSession {
  name: string;
  state: string;
  kind: string;
  progress?: { done?: number; total?: number; unit?: string; text?: string } | null;
  figures: { name: string; value: number | string | null; unit: string }[];
  series: { name: string; unit?: string; t: number[]; y: (number | null)[] }[];
}
