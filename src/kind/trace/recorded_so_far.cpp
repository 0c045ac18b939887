// SPDX-License-Identifier: MIT
#include "kind/trace/recorded_so_far.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "export/planes/recorded_planes.h"
#include "record/journal/event_journal.h"
#include "record/journal/journal_rows.h"
#include "session/bundle/layout.h"
#include "session/collected_tables.h"
#include "session/session.h"
#include "session/session_info.h"

namespace aaco::imports {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> journals_of(const fs::path& bundle) {
  std::vector<fs::path> journals;
  std::error_code error;
  for (fs::directory_iterator entry(bundle / layout::kJournals, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".jrn") {
      journals.push_back(entry->path());
    }
  }
  std::ranges::sort(journals);
  return journals;
}

}  // namespace

Result<RecordedSoFar> load_recorded_so_far(const fs::path& bundle, size_t most_iterations) {
  AACO_ASSIGN(const SessionInfo info, read_session_info(bundle));
  RecordedSoFar recorded;
  recorded.trace.origin.files.push_back({bundle.string(), "aaco " + info.kind.word(), 0});
  Recording rows;
  rows.facts = info.facts;
  for (const fs::path& journal : journals_of(bundle)) {
    if (Result<LastIterations> last = read_last_iterations(journal, most_iterations)) {
      recorded.left_out += last->older;
      std::ranges::move(last->rows, std::back_inserter(rows.iterations));
    } else if (Result<EventJournalReader> reader = EventJournalReader::open(journal)) {
      (void)reader->read(recorded.trace.events);  // what is damaged is told when the session is closed
    }
  }
  std::vector<std::string> torn;  // a row that is just being stored
  (void)read_collected_journals(bundle, rows.collected, torn);
  add_recorded_planes(rows, recorded.trace.events);
  return recorded;
}

}  // namespace aaco::imports
