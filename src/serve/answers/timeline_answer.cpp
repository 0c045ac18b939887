// SPDX-License-Identifier: MIT
#include "serve/answers/timeline_answer.h"

#include <optional>
#include <sys/resource.h>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "kind/trace/recorded_so_far.h"
#include "kind/trace/session_planes.h"
#include "kind/trace/trace_kind.h"
#include "kind/trace/trace_memory.h"
#include "serve/timeline/build_timeline.h"
#include "session/bundle/layout.h"
#include "session/session.h"
#include "session/trace_tables.h"

namespace aaco::serve {

namespace {

constexpr uint64_t kMostGrowingBytes = uint64_t{2} << 30;
constexpr int kLessUrgent = 10;

// What still grows is read beside the work that is measured: with what that leaves of the processors.
Result<imports::RecordedSoFar> recorded_now(const std::string& session, const std::string& source) {
  if (source == kGrowingSource) {
    (void)::setpriority(PRIO_PROCESS, 0, kLessUrgent);  // where it cannot be set, the kernel shares evenly
    const rlimit limit{kMostGrowingBytes, kMostGrowingBytes};
    (void)::setrlimit(RLIMIT_DATA, &limit);  // where it cannot be set, memory ends as for any other
    return imports::load_recorded_so_far(session);
  }
  AACO_ASSIGN(imports::LoadedTrace trace, imports::load_trace_with_planes({{session}, ""}));
  return imports::RecordedSoFar{std::move(trace), 0};
}

}  // namespace

Result<JsonValue> timeline_answer(const std::string& session, const std::filesystem::path& file,
                                  const std::string& source) {
  const int64_t start_ns = monotonic_ns();
  imports::limit_to_machine();
  AACO_ASSIGN(const SessionInfo info, read_session_info(session));
  AACO_ASSIGN(const imports::RecordedSoFar recorded, recorded_now(session, source));
  const imports::LoadedTrace& trace = recorded.trace;
  std::error_code error;
  uint64_t stored = 0;
  uint64_t event_bytes = 0;
  if (std::filesystem::exists(std::filesystem::path(session) / layout::kTraceEvents, error)) {
    AACO_ASSIGN(const TraceSize size, trace_size(session));
    stored = size.events;
    event_bytes = size.bytes();
  }
  // A foreign trace's clock is its own.
  const bool has_wall_clock = info.kind != SessionKind(kTrace.traits) && info.t0_wall_ns != 0;
  const TimelineSource from{trace.events, stored, has_wall_clock ? std::optional(info.t0_wall_ns) : std::nullopt,
                            source, recorded.left_out};
  AACO_TRY(make_folders(file.parent_path()));
  AACO_ASSIGN(const uint64_t bytes, build_timeline(from, file));
  return JsonValue(Json{{"bytes", bytes},
                        {"events", trace.events.size()},
                        {"event_bytes", event_bytes},
                        {"build_ns", monotonic_ns() - start_ns}});
}

}  // namespace aaco::serve
