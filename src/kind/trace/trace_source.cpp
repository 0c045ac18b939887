// SPDX-License-Identifier: MIT
#include "kind/trace/trace_source.h"

#include <filesystem>
#include <utility>

#include "base/memory/machine_memory.h"
#include "ingest/rank_names.h"
#include "ingest/trace_format.h"
#include "kind/trace/trace_memory.h"
#include "kind/trace/trace_session.h"
#include "session/bundle/layout.h"

namespace aaco::imports {

namespace {

namespace fs = std::filesystem;

Result<LoadedTrace> load(const std::vector<std::string>& paths, const std::optional<JobShare>& share) {
  std::error_code error;
  if (paths.size() == 1 && fs::is_regular_file(fs::path(paths[0]) / layout::kSession, error)) {
    return load_trace_session(paths[0]);
  }
  const ReadShare part = share ? ReadShare{share->index, share->count} : ReadShare{};
  AACO_ASSIGN(ReadTrace read, read_trace(std::vector<fs::path>(paths.begin(), paths.end()), part));
  LoadedTrace trace;
  trace.share = share;
  trace.filled_shares = read.filled_shares;
  for (const ReadTrace::File& file : read.files) {
    trace.origin.files.push_back({file.path.string(), file.format, file.bytes});
  }
  for (const fs::path& path : read.unknown) {
    trace.origin.unknown_files.push_back(path.string());
  }
  trace.events = std::move(read.events);
  return trace;
}

}  // namespace

Result<LoadedTrace> load_trace(const TraceRequest& request, const std::optional<JobShare>& share) {
  give_back_large_blocks();
  limit_to_machine();
  AACO_ASSIGN(LoadedTrace trace, load(request.paths, share));
  if (!request.rank_from.empty()) {
    AACO_TRY(take_ranks_from_names(trace.events, request.rank_from));
  }
  return trace;
}

}  // namespace aaco::imports
