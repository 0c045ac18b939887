// SPDX-License-Identifier: MIT
#include "kind/observation/killed_observation.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text/characters.h"
#include "base/text/number_text.h"
#include "base/version.h"
#include "kind/observation/observation_kind.h"
#include "observe/telemetry/collector.h"
#include "record/collected_rows.h"
#include "record/journal/event_journal.h"
#include "session/bundle/layout.h"
#include "session/close_session.h"
#include "session/collected_tables.h"
#include "session/session.h"
#include "session/session_document.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

// Those of the command that was observed stand behind the two dashes.
std::vector<std::string> command_of(const std::vector<std::string>& command_line) {
  const auto dashes = std::find(command_line.begin(), command_line.end(), "--");
  return dashes == command_line.end() ? command_line : std::vector<std::string>(dashes + 1, command_line.end());
}

bool had_budget(const std::vector<std::string>& command_line) {
  return std::any_of(command_line.begin(), std::find(command_line.begin(), command_line.end(), "--"),
                     [](const std::string& word) { return word.starts_with("--budget"); });
}

// The recording is named by them: "4711 python3 train.py".
ProcessRecording process_of(const EventTable& events, uint32_t recording, size_t first, size_t last) {
  const std::string& name = events.recordings[recording].name;
  const size_t space = std::min(name.find(' '), name.size());
  ProcessRecording process;
  process.pid = number_of_text<int64_t>(std::string_view(name).substr(0, space)).value_or(0);
  process.program = name.substr(std::min(space + 1, name.size()));
  process.state = RecordingState::kCut;
  process.events = last - first;
  for (size_t row = first; row < last; ++row) {
    process.from_ns = row == first ? events.start_ns[row] : std::min(process.from_ns, events.start_ns[row]);
    process.last_flush_ns = std::max(process.last_flush_ns.value_or(0), events.end_ns(row));
  }
  return process;
}

// Of collectors, which store rows and no events.
std::set<std::string> row_journals(const fs::path& session) {
  std::set<std::string> paths;
  CollectedRows().for_each([&]<class Row>(const std::vector<Row>&) {
    for (std::string& path : collected_journals(session, RowSchema<Row>::kName)) {
      paths.insert(fs::path(path).filename().string());
    }
  });
  return paths;
}

Result<void> read_journals(const fs::path& session, EventTable& events, ObservationDocument& document) {
  const std::set<std::string> others = row_journals(session);
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(session / layout::kJournals, error)) {
    if (entry.path().extension() != ".jrn" || others.contains(entry.path().filename().string())) {
      continue;
    }
    const size_t first = events.size();
    AACO_ASSIGN(EventJournalReader reader, EventJournalReader::open(entry.path()));
    AACO_TRY(reader.read(events));
    document.journal_bytes += static_cast<int64_t>(fs::file_size(entry.path(), error));
    if (!events.recordings.empty() && events.size() > first) {
      document.processes.push_back(
          process_of(events, static_cast<uint32_t>(events.recordings.size() - 1), first, events.size()));
    }
  }
  return {};
}

struct Journals {
  Observation observation;
  EventTable events;
  CollectedRows rows;
};

// One that cannot be read is told, since the others may be whole.
Result<Journals> read_all_journals(const fs::path& session) {
  Journals journals;
  std::vector<std::string>& problems = journals.observation.document.problems;
  AACO_TRY(read_journals(session, journals.events, journals.observation.document));
  if (const Result<void> read = read_collected_journals(session, journals.rows, problems); !read) {
    problems.push_back("journal lost: " + read.error().message);
  }
  return journals;
}

// What collectors would have said of themselves at their end is not known.
void name_planes(SessionWriter& session) {
  for (const char* name : {"kernel", "nvml"}) {
    const CollectorInfo& collector = *find_collector(name);
    const bool has_journals = std::ranges::any_of(
        collector.tables, [&](const std::string& table) { return !collected_journals(session.path(), table).empty(); });
    if (has_journals) {
      PlaneState& plane = session.info().planes[collector.plane];  // a source is kept from its start
      plane = {PlaneStatus::kRecorded,
               plane.reason.empty()
                   ? "read back from its journals; its source and losses are not known"
                   : fmt::format("{}; read back from its journals; its losses are not known", plane.reason)};
    }
  }
}

Result<Observation> fill(SessionWriter& session, Journals journals) {
  Observation observation = std::move(journals.observation);
  ObservationDocument& document = observation.document;
  const std::vector<std::string>& command_line = session.info().command_line;
  document.version = program_version();
  document.bundle = session.path().string();
  document.created_utc = session.info().created_utc;
  document.command = command_of(command_line);
  document.is_recovered = true;
  if (had_budget(command_line)) {
    document.problems.emplace_back("recorded with a budget whose pauses are not known: they count as idle time here");
  }
  name_planes(session);
  AACO_TRY(write_collected_tables(session, journals.rows));
  name_devices(session, document);
  document.from_ns = session.info().t0_monotonic_ns;
  document.to_ns = document.from_ns;
  for (const ProcessRecording& process : document.processes) {
    document.to_ns = std::max(document.to_ns, process.last_flush_ns.value_or(0));
  }
  AACO_ASSIGN(observation.losses, write_observed_events(session, journals.events, document));
  AACO_TRY(write_document(session, layout::kObservation, observation_json(document), read_observation));
  return observation;
}

}  // namespace

Result<Observation> recover_observation(const std::string& path) {
  AACO_ASSIGN(const SessionInfo info, read_session_info(path));
  if (info.kind.word() != kObservation.traits.id) {
    return Error{ErrorKind::kUsage, fmt::format("{} is no session of aaco observe", printable(path)),
                 "aaco sessions list names the kinds"};
  }
  if (effective_status(info) != SessionStatus::kIncomplete) {
    return Error{ErrorKind::kUsage, fmt::format("{} was not left by a killed observer", printable(path)),
                 "aaco trace report reads it as it is"};
  }
  std::error_code error;
  const fs::path bundle = fs::canonical(path, error);
  AACO_ASSIGN(Journals journals, read_all_journals(bundle));  // before anything of the session changes
  AACO_ASSIGN(SessionWriter session, SessionWriter::reopen(bundle));
  Result<Observation> observation = fill(session, std::move(journals));
  AACO_TRY(close_session(
      session, observation ? Result<SessionEnd>(SessionEnd{SessionStatus::kInterrupted,
                                                           "its observer was killed; closed from its journals"})
                           : observation.error()));
  return observation;
}

}  // namespace aaco
