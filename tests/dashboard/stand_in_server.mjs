// SPDX-License-Identifier: MIT
// stand_in_server.mjs PORT: answers as `aaco serve` does, from reports that the golden tests keep and from a computed trace, so that pages
// can be built and tried in every state: slow answers, errors, no sessions, a live run, 10^7 events (the session "computed 10000000").
// A text in the cookie `stand_in` changes what it does: "empty", "broken", "slow". Prints its address when it listens.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { computedTrace, goldenTrace } from "./stand_in_trace.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "../..");
const DIST = join(ROOT, "dashboard/dist");
const { float64, tableFromArrays, tableToIPC, uint16, uint32, uint8 } = createRequire(join(ROOT, "dashboard/package.json"))("@uwdata/flechette");
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";
const TYPES = { html: "text/html; charset=utf-8", js: "text/javascript", css: "text/css" };

class Refusal extends Error {
  constructor(status, message, hint) {
    super(message);
    Object.assign(this, { status, hint });
  }
}

function goldenReports() {
  const reports = new Map();
  const cases = join(ROOT, "tests/golden/cases");
  for (const kind of readdirSync(cases)) {
    for (const file of readdirSync(join(cases, kind))) {
      const number = /^report-session-(\d+)-format-json\.stdout\.xz$/u.exec(file)?.[1];
      if (number !== undefined) {
        reports.set(`${kind} ${number}`, { kind, read: () => JSON.parse(execFileSync("xz", ["-dc", join(cases, kind, file)], { maxBuffer: 1 << 28 })) });
      }
    }
  }
  return reports;
}

const reports = goldenReports();
const traces = new Map([
  ["trace 1", goldenTrace(join(ROOT, "tests/golden/traces"), ["before_rank0.json", "before_rank1.json"])],
  ["trace 2", goldenTrace(join(ROOT, "tests/golden/traces"), ["after_rank0.json", "after_rank1.json"])],
  ["computed 100000", computedTrace(100_000)],
  ["computed 10000000", computedTrace(10_000_000)],
]);

function sessionRow(name, index) {
  const kind = reports.get(name)?.kind ?? "trace";
  const report = reports.has(name) && index < 60 ? reports.get(name).read() : null;
  return {
    name,
    path: `2026-11-25/${name}`,
    kind,
    subject: report?.title ?? "a computed trace",
    device: kind.startsWith("trace") ? "" : "cpu:0",
    state: name.startsWith("unfinished") ? "interrupted" : "complete",
    started_wall_ns: String(1795568093754537020n + BigInt(index) * 61_000_000_000n),
    duration_s: index % 5 === 0 ? null : 1.5 + index,
    bytes: 12_345 * (index + 1),
    headline: report?.headline?.figure ?? null,
    tags: index % 7 === 0 ? ["<i>odd</i>", "nightly"] : [],
  };
}

const names = [...new Set([...reports.keys(), ...traces.keys()])].sort();
const list = names.map(sessionRow);

function timelineOf(name) {
  const trace = traces.get(name);
  if (trace === undefined) {
    throw new Refusal(404, `session ${name} has no events`, "Import a trace, or run with --profile.");
  }
  return trace;
}

function viewBytes(trace, query) {
  const [from, to] = [Number(BigInt(query.get("from")) - trace.startNs), Number(BigInt(query.get("to")) - trace.startNs)];
  const rows = query.get("tracks").split(",").flatMap((track) => trace.view(Number(track), from, to, Number(query.get("width"))));
  const column = (key) => rows.map((row) => row[key] ?? null);
  const types = {
    track: uint32(), lane: uint16(), start: float64(), duration: float64(), count: uint32(), longest: float64(), event: float64(),
    name: uint32(), category: uint8(), value_min: float64(), value_max: float64(), value_last: float64(),
  };
  const table = tableFromArrays(Object.fromEntries(Object.keys(types).map((key) => [key, column(key)])), { types });
  table.schema.metadata = new Map([["names", JSON.stringify(trace.names)]]);
  return Buffer.from(tableToIPC(table, { format: "stream" }));
}

const TIMELINE = {
  tracks: (trace) => trace.document(),
  search: (trace, query) => trace.search(query.get("q"), Number(query.get("limit") ?? 200)),
  statistics: (trace, query) => trace.statistics(Number(BigInt(query.get("from")) - trace.startNs), Number(BigInt(query.get("to")) - trace.startNs)),
  gaps: (trace) => ({ gaps: trace.gaps() }),
  "critical-path": (trace) => ({ paths: trace.criticalPaths() }),
  event: (trace, query, row) => trace.event(Number(row)),
};

function answerOf(path, query) {
  const [, , what, encoded = "", ...rest] = path.split("/");
  const name = decodeURIComponent(encoded);
  if (what === "about") {
    return { version: "stand-in", sessions_folder: "sessions", sessions: names.length, read_only: true };
  }
  if (what === "sessions") {
    return { sessions: list, skipped: [{ name: "scratch", why: "no session.json" }] };
  }
  if (what === "diff") {
    const report = (reports.get(query.get("b")) ?? reports.get("trace 1")).read();
    return { report: { ...report, title: `${query.get("a")} against ${query.get("b")}` }, document: {} };
  }
  if (what === "session" && rest[0] === "report") {
    if (!reports.has(name)) {
      throw new Refusal(404, `no session ${name}`, "List them: aaco sessions list");
    }
    return reports.get(name).read();
  }
  if (what === "session" && rest[0] === "files") {
    return [{ path: "session.json", bytes: 812 }, ...(traces.has(name) ? [{ path: "trace/events.parquet", bytes: 88_123 }] : []), { path: "metrics/iterations.parquet", bytes: 9_120 }];
  }
  if (what === "timeline" && TIMELINE[rest[0]] !== undefined) {
    return TIMELINE[rest[0]](timelineOf(name), query, rest[1]);
  }
  throw new Refusal(404, `no such address: ${path}`, "See docs/serve.md.");
}

function sqlAnswer({ statement }) {
  if (!/^\s*(select|from)\b/iu.test(statement)) {
    throw new Refusal(400, "Parser Error: syntax error at or near \"" + statement.split(/\s/u)[0] + "\"", "DuckDB's SQL; only reading is possible.");
  }
  const rows = Array.from({ length: 20 }, (_, i) => [`kernel_${i}`, i * 37, i === 3 ? null : i * 1.25]);
  return { columns: [{ name: "name", type: "VARCHAR" }, { name: "calls", type: "BIGINT" }, { name: "ms", type: "DOUBLE" }], rows, truncated: false, milliseconds: 12.5 };
}

function sendLive(response) {
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  let count = 0;
  const send = () => {
    ++count;
    const t = Array.from({ length: 60 }, (_, i) => i + count);
    const session = {
      name: "run 1", state: "running", kind: "run", progress: { done: Math.min(count * 10, 400), total: 400, unit: "iterations" },
      figures: [{ name: "latency, median", value: 3.1e6 + count * 1e4, unit: "ns" }, { name: "throughput", value: 322.5, unit: "samples/s" }, { name: "device memory", value: 2.1e9, unit: "bytes" }],
      series: [{ name: "latency", unit: "ns", t, y: t.map((x) => 3.1e6 + 2e5 * Math.sin(x / 4)) }, { name: "power", unit: "W", t, y: t.map((x) => 240 + 40 * Math.cos(x / 9)) }],
    };
    response.write(`event: session\ndata: ${JSON.stringify(session)}\n\n`);
  };
  send();
  const timer = setInterval(send, 1000);
  response.on("close", () => clearInterval(timer));
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) {
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString());
}

function sendFile(response, file) {
  response.writeHead(200, { "Content-Type": TYPES[file.split(".").pop()], "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff" });
  response.end(readFileSync(join(DIST, file)));
}

function send(response, status, document) {
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  response.end(JSON.stringify(document));
}

async function handle(request, response) {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  const mode = /stand_in=(\w+)/u.exec(request.headers.cookie ?? "")?.[1] ?? "";
  const file = pathname === "/" ? "index.html" : /^\/assets\/(app\.(?:js|css))$/u.exec(pathname)?.[1];
  if (file !== undefined) {
    return sendFile(response, file);
  }
  if (mode === "slow") {
    await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
  }
  if (mode === "broken") {
    throw new Refusal(500, "sessions/run: Permission denied", "Give the user who runs aaco the right to read it.");
  }
  if (mode === "empty" && pathname === "/api/sessions") {
    return send(response, 200, { sessions: [], skipped: [] });
  }
  if (pathname === "/api/live") {
    return sendLive(response);
  }
  if (pathname === "/api/sql") {
    return send(response, 200, sqlAnswer(await bodyOf(request)));
  }
  const view = /^\/api\/timeline\/([^/]+)\/view$/u.exec(pathname);
  if (view !== null) {
    const bytes = viewBytes(timelineOf(decodeURIComponent(view[1])), searchParams);
    response.writeHead(200, { "Content-Type": "application/vnd.apache.arrow.stream" });
    return response.end(bytes);
  }
  return send(response, 200, answerOf(pathname, searchParams));
}

const server = createServer((request, response) => {
  handle(request, response).catch((error) => {
    if (!response.headersSent) {
      send(response, error.status ?? 500, { error: error.message, hint: error.hint ?? "A mistake in the stand-in." });
    }
  });
});
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
