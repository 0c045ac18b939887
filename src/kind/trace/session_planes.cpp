// SPDX-License-Identifier: MIT
#include "kind/trace/session_planes.h"

#include <filesystem>
#include <system_error>

#include "export/planes/recorded_planes.h"
#include "session/bundle/layout.h"
#include "session/session.h"

namespace aaco::imports {

namespace {

namespace fs = std::filesystem;

bool has_rows(const Recording& recording) {
  bool any = !recording.iterations.empty() || !recording.kernels.empty();
  recording.collected.for_each([&](const auto& rows) { any = any || !rows.empty(); });
  return any;
}

}  // namespace

Result<LoadedTrace> load_trace_with_planes(const TraceRequest& request) {
  std::error_code error;
  const bool is_session =
      request.paths.size() == 1 && fs::is_regular_file(fs::path(request.paths[0]) / layout::kSession, error);
  if (!is_session) {
    return load_trace(request);
  }
  const fs::path path = request.paths[0];
  const Result<OpenSession> session = open_session(path);
  if (!session || !has_rows(session->recording)) {
    Result<LoadedTrace> trace = load_trace(request);
    return trace || session ? std::move(trace) : Result<LoadedTrace>(session.error());
  }
  LoadedTrace trace;
  if (fs::exists(path / layout::kTraceEvents, error)) {
    AACO_ASSIGN(trace, load_trace(request));
  } else {
    trace.origin.files.push_back({path.string(), "aaco " + session->info.kind.word(), 0});
  }
  add_recorded_planes(session->recording, trace.events);
  return trace;
}

}  // namespace aaco::imports
