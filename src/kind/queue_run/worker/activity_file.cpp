// SPDX-License-Identifier: MIT
#include "kind/queue_run/worker/activity_file.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "record/journal/event_journal.h"
#include "record/journal/journal.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

fs::path path_of(const fs::path& folder, const char* what, int64_t process) {
  return folder / fmt::format("{}_p{}.jrn", what, process);
}

Error unfinished(const fs::path& path) {
  return {ErrorKind::kUsage, path.string() + ": not as it was written", "run it again"};
}

Result<void> write_waits(const fs::path& path, const ActivityRun& run) {
  AACO_ASSIGN(JournalWriter writer, JournalWriter::create(path, sizeof(EventDependency),
                                                          Json{{"rows", "waits"}, {"unresolved", run.unresolved}}));
  for (const EventDependency& wait : run.waits) {
    if (!writer.append(wait)) {
      break;  // close() says why
    }
  }
  return writer.close();
}

Result<void> read_waits(const fs::path& path, ActivityRun& run) {
  AACO_ASSIGN(const JournalContent content, read_journal(path));
  if (content.row_bytes != sizeof(EventDependency) || content.torn) {
    return unfinished(path);
  }
  run.unresolved = content.description->value("unresolved", "");
  for (uint64_t i = 0; i < content.row_count; ++i) {
    run.waits.push_back(content.row<EventDependency>(i));
  }
  return {};
}

}  // namespace

Result<void> write_activity(const fs::path& folder, int64_t process, const ActivityRun& run) {
  AACO_TRY(write_event_journal(path_of(folder, "activity", process), *run.events));
  return write_waits(path_of(folder, "waits", process), run);
}

Result<ActivityRun> read_activity(const fs::path& folder, int64_t process) {
  const fs::path path = path_of(folder, "activity", process);
  bool torn = false;
  AACO_ASSIGN(EventTable events, read_event_journal(path, &torn));
  if (torn) {
    return unfinished(path);
  }
  ActivityRun run;
  run.events = std::make_shared<const EventTable>(std::move(events));
  AACO_TRY(read_waits(path_of(folder, "waits", process), run));
  return run;
}

}  // namespace aaco
