// SPDX-License-Identifier: MIT
#include "experiment/queue/activity_file.h"

#include <fmt/format.h>

#include "base/json.h"
#include "session/journal/journal.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

fs::path path_of(const fs::path& folder, const char* what, int64_t process) {
  return folder / fmt::format("{}_p{}.jrn", what, process);
}

template <class Row>
Result<void> write_rows(const fs::path& path, const std::vector<Row>& rows, const Json& description) {
  AACO_ASSIGN(JournalWriter writer, JournalWriter::create(path, sizeof(Row), description));
  for (const Row& row : rows) {
    if (!writer.append(row)) {
      break;  // close() says why
    }
  }
  return writer.close();
}

template <class Row>
Result<std::vector<Row>> rows_of(const fs::path& path, const JournalContent& content) {
  if (content.row_bytes != sizeof(Row) || content.torn) {
    return Error{ErrorKind::kUsage, path.string() + ": not as it was written", "run it again"};
  }
  std::vector<Row> rows;
  rows.reserve(content.row_count);
  for (uint64_t i = 0; i < content.row_count; ++i) {
    rows.push_back(content.row<Row>(i));
  }
  return rows;
}

}  // namespace

Result<void> write_activity(const fs::path& folder, int64_t process, const ActivityRun& run) {
  AACO_TRY(write_rows(path_of(folder, "activity", process), run.records,
                      {{"rows", "activity"}, {"dropped", run.dropped}, {"unresolved", run.unresolved}}));
  return write_rows(path_of(folder, "waits", process), run.waits, {{"rows", "waits"}});
}

Result<ActivityRun> read_activity(const fs::path& folder, int64_t process) {
  ActivityRun run;
  const fs::path records = path_of(folder, "activity", process);
  AACO_ASSIGN(const JournalContent content, read_journal(records));
  AACO_ASSIGN(run.records, rows_of<ActivityRecord>(records, content));
  run.dropped = content.description->value("dropped", uint64_t{0});
  run.unresolved = content.description->value("unresolved", "");
  const fs::path waits = path_of(folder, "waits", process);
  AACO_ASSIGN(const JournalContent of_waits, read_journal(waits));
  AACO_ASSIGN(run.waits, rows_of<EventDependency>(waits, of_waits));
  return run;
}

}  // namespace aaco
