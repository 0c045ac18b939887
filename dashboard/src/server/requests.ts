// SPDX-License-Identifier: MIT
// Asks the server. Every failure becomes a RequestError with what to do.
import type {
  About,
  CriticalPath,
  Diff,
  Gap,
  QueryAnswer,
  SearchAnswer,
  SessionFile,
  SessionList,
  Statistics,
  TimelineEvent,
  TimelineTracks,
} from "./documents";
import type { Report } from "./report_document";
import type { GuardHistory } from "../study/series";

export class RequestError extends Error {
  constructor(
    message: string,
    readonly hint: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export const sessionPath = (name: string): string => encodeURIComponent(name);

async function errorOf(response: Response): Promise<RequestError> {
  const fallback =
    response.status === 401 ? "Open the address that `aaco serve` printed: it holds the token." : "See what `aaco serve` printed.";
  try {
    const body = (await response.json()) as { error?: string; hint?: string };
    return new RequestError(body.error ?? `the server answered ${response.status}`, body.hint ?? fallback, response.status);
  } catch {
    return new RequestError(`the server answered ${response.status}`, fallback, response.status);
  }
}

export async function request(path: string, options: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") {
      throw error;
    }
    throw new RequestError("The server does not answer.", "Start it again: aaco serve", 0);
  }
  if (!response.ok) {
    throw await errorOf(response);
  }
  return response;
}

async function document<Type>(path: string, options: RequestInit = {}): Promise<Type> {
  const response = await request(path, options);
  return (await response.json()) as Type;
}

export const isAborted = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";

export const fetchAbout = (): Promise<About> => document("/api/about");
export const fetchSessions = (): Promise<SessionList> => document("/api/sessions");
export const fetchReport = (name: string): Promise<Report> => document(`/api/session/${sessionPath(name)}/report`);
export const fetchDocument = (name: string): Promise<unknown> => document(`/api/session/${sessionPath(name)}/json`);
export const fetchSeries = (): Promise<GuardHistory> => document("/api/series");
export const fetchFiles = (name: string): Promise<SessionFile[]> => document(`/api/session/${sessionPath(name)}/files`);
export const fetchDiff = (a: string, b: string): Promise<Diff> => document(`/api/diff?a=${sessionPath(a)}&b=${sessionPath(b)}`);

const timelinePath = (name: string, what: string): string => `/api/timeline/${sessionPath(name)}/${what}`;

export const fetchTracks = (name: string): Promise<TimelineTracks> => document(timelinePath(name, "tracks"));
export const fetchEvent = (name: string, event: number): Promise<TimelineEvent> => document(timelinePath(name, `event/${event}`));
export const fetchSearch = (name: string, text: string, limit: number): Promise<SearchAnswer> =>
  document(timelinePath(name, `search?q=${encodeURIComponent(text)}&limit=${limit}`));
export const fetchGaps = async (name: string, limit: number): Promise<Gap[]> =>
  (await document<{ gaps: Gap[] }>(timelinePath(name, `gaps?limit=${limit}`))).gaps;

export const fetchCriticalPaths = async (name: string): Promise<CriticalPath[]> =>
  (await document<{ paths: CriticalPath[] }>(timelinePath(name, "critical-path"))).paths;

// Times in ns since 1970 or the trace's own zero, as the tracks document has them.
export const fetchStatistics = (name: string, from: bigint, to: bigint, tracks: readonly number[]): Promise<Statistics> =>
  document(timelinePath(name, `statistics?from=${from}&to=${to}&tracks=${tracks.join(",")}`));

export async function fetchView(
  name: string,
  from: bigint,
  to: bigint,
  width: number,
  tracks: readonly number[],
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  const path = timelinePath(name, `view?from=${from}&to=${to}&width=${width}&tracks=${tracks.join(",")}`);
  return (await request(path, { signal })).arrayBuffer();
}

export const exportPath = (name: string, format: string): string => timelinePath(name, `export?format=${format}`);

export interface TraceExport {
  buffer: ArrayBuffer;
  leftOut: number; // events that the format cannot hold
}

export async function fetchExport(name: string, format: string): Promise<TraceExport> {
  const response = await request(exportPath(name, format));
  return { buffer: await response.arrayBuffer(), leftOut: Number(response.headers.get("Aaco-Left-Out") ?? 0) };
}

export const runQuery = (session: string, statement: string, limit: number, id: string, signal: AbortSignal): Promise<QueryAnswer> =>
  document("/api/sql", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ session, statement, limit, id }),
    signal,
  });

export async function cancelQuery(id: string): Promise<void> {
  await request(`/api/sql/${encodeURIComponent(id)}`, { method: "DELETE" });
}
