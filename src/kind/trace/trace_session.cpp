// SPDX-License-Identifier: MIT
#include "kind/trace/trace_session.h"

#include <exception>
#include <fmt/format.h>
#include <utility>

#include "analysis/timeline/trace_summary.h"
#include "base/interrupt.h"
#include "base/json/json.h"
#include "base/process/limit_error.h"
#include "export/analysis_files.h"
#include "kind/trace/trace_kind.h"
#include "kind/trace/trace_roofs.h"
#include "session/bundle/layout.h"
#include "session/catalog/shards.h"
#include "session/close_session.h"
#include "session/session.h"
#include "session/trace_tables.h"

namespace aaco::imports {

namespace {

namespace fs = std::filesystem;

const SessionKindTraits& kKind = kTrace.traits;

Json origin_json(const TraceOrigin& origin) {
  Json files = Json::array();
  for (const TraceFile& file : origin.files) {
    files.push_back({{"path", file.path}, {"format", file.format}, {"bytes", file.bytes}});
  }
  Json json = {{"files", std::move(files)}, {"unknown_files", origin.unknown_files}};
  if (origin.shard) {  // the import of a session that was one
    json["shard"] = {{"job", origin.shard->job},
                     {"index", origin.shard->index},
                     {"count", origin.shard->count},
                     {"filled", origin.shard->filled}};
  }
  return json;
}

Result<TraceOrigin> read_origin(const fs::path& path) {
  AACO_ASSIGN(const Json json, read_json(path));
  TraceOrigin origin;
  try {
    for (const Json& file : json.at("files")) {
      origin.files.push_back({file.at("path"), file.at("format"), file.at("bytes")});
    }
    origin.unknown_files = json.at("unknown_files").get<std::vector<std::string>>();
    if (json.contains("shard")) {
      const Json& shard = json.at("shard");
      origin.shard = TraceShard{shard.at("job"), shard.at("index"), shard.at("count"), shard.at("filled")};
    }
  } catch (const Json::exception& exception) {
    return Error{ErrorKind::kUsage, fmt::format("{}: {}", path.string(), json_problem(exception)),
                 "the file is damaged, or was not written by this version of aaco"};
  }
  return origin;
}

Result<LossTable> write_session(SessionWriter& session, const LoadedTrace& trace, const std::string& no_analyses) {
  AACO_TRY(write_trace(session, trace.events));
  LossTable losses = trace.events.losses;
  if (no_analyses.empty()) {
    AACO_ASSIGN(losses, write_analyses(session, trace.events));
  }
  AACO_TRY(session.write_json_file(layout::kTraceFiles, origin_json(trace.origin)));
  if (trace.share) {
    AACO_TRY(write_shard(session, *trace.share, trace.filled_shares));
  }
  session.info().planes["trace"] = {PlaneStatus::kRecorded, ""};
  session.info().planes[layout::kAnalysisPlane] = {
      no_analyses.empty() ? PlaneStatus::kRecorded : PlaneStatus::kUnavailable, no_analyses};
  if (interrupted()) {
    return Error{ErrorKind::kInterrupted, "interrupted", ""};
  }
  return losses;
}

// Of an import that was killed, or failed: what is there, and a loss that says why it is not all.
Result<LoadedTrace> load_left(const fs::path& session, const SessionInfo& info, SessionStatus status) {
  const std::string reason = fmt::format("the import is {}{}{}", session_status_name(status),
                                         info.status_reason.empty() ? "" : ": ", info.status_reason);
  LoadedTrace trace;
  AACO_ASSIGN(trace.events, read_left_trace_tables(session, reason));
  const Result<TraceOrigin> origin = read_origin(session / layout::kTraceFiles);
  trace.origin = origin ? *origin : TraceOrigin();
  if (!origin) {
    trace.origin.files.push_back({session.string(), "aaco trace", 0});
  }
  return trace;
}

// Of the files that read_trace_tables() reads.
uint64_t bytes_of_tables(const fs::path& session) {
  uint64_t bytes = 0;
  for (const char* table : {layout::kTraceRecordings, layout::kTraceTracks, layout::kTraceEvents,
                            layout::kTraceArguments, layout::kTraceMetadata, layout::kTraceLosses}) {
    std::error_code error;
    const auto size = fs::file_size(session / table, error);
    bytes += error ? 0 : size;  // a table without rows may not be there
  }
  return bytes;
}

}  // namespace

Result<LossTable> write_analyses(SessionWriter& session, const EventTable& events) {
  AACO_ASSIGN(const RoofSources roofs, load_roofs({}));
  TraceSummary summary = summarise_trace(events, roofs);
  AACO_TRY(session.expect_recorded());  // nothing else is to be made again below a folder that was removed
  AACO_TRY(write_analysis_files(session.path(), events, summary));
  AACO_TRY(session.note_file(layout::kAnalyses));
  return std::move(summary.losses);
}

Result<LoadedTrace> load_trace_session(const fs::path& session) {
  AACO_ASSIGN(const SessionInfo info, read_session_info(session));
  std::error_code error;
  if (info.kind != kKind && fs::exists(session / layout::kTraceEvents, error)) {  // of a profiled process
    LoadedTrace trace;
    trace.origin.files.push_back({session.string(), "aaco " + info.kind.word(), bytes_of_tables(session)});
    AACO_ASSIGN(trace.events, read_trace_tables(session));
    return trace;
  }
  if (info.kind != kKind) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: is a session of kind {} without a trace", session.string(), info.kind.word()),
                 fmt::format("aaco report --session {} shows it", session.string())};
  }
  LoadedTrace trace;
  if (const SessionStatus status = effective_status(info);
      status != SessionStatus::kComplete && status != SessionStatus::kRunning) {
    return load_left(session, info, status);
  }
  AACO_ASSIGN(trace.origin, read_origin(session / layout::kTraceFiles));
  AACO_ASSIGN(const auto shard, shard_of(session));
  if (shard) {
    trace.origin.shard = TraceShard{shard->share.job, shard->share.index, shard->share.count, shard->filled};
  }
  AACO_ASSIGN(trace.events, read_trace_tables(session));
  return trace;
}

Result<SavedTrace> save_trace(const LoadedTrace& trace, const ImportMemory& memory, const std::string& sessions_root,
                              const std::vector<std::string>& command_line) {
  const Result<void> room = expect_room_for_analyses(trace.events, memory);
  const std::string no_analyses = room ? "" : room.error().message;
  SessionInfo info;
  info.kind = kKind;
  info.command_line = command_line;
  AACO_ASSIGN(SessionWriter session, SessionWriter::create(sessions_root, std::move(info)));
  Result<LossTable> written = LossTable();
  try {
    written = write_session(session, trace, no_analyses);
  } catch (const std::exception& exception) {  // no room for what the analyses hold, or an interrupt
    written = error_of(exception);
  }
  AACO_TRY(close_session(session, written ? Result<SessionEnd>(SessionEnd()) : written.error()));
  return SavedTrace{session.path(), no_analyses, *std::move(written)};
}

}  // namespace aaco::imports
