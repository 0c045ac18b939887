// SPDX-License-Identifier: MIT
// Of a closed session, each file that is read must be what the manifest says. One that still runs, or was killed, opens
// with the rows that its journals hold.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>

#include "base/files/file.h"
#include "base/format.h"
#include "base/json/json.h"
#include "record/journal/journal_rows.h"
#include "record/journal/row_journal.h"
#include "session/bundle/layout.h"
#include "session/bundle/manifest.h"
#include "session/collected_tables.h"
#include "session/session.h"
#include "session/session_info.h"

namespace aaco {

namespace {

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

// A session while it is being opened.
struct Opening {
  OpenSession session;
  std::optional<Manifest> manifest;  // of a closed session
  uint64_t left_bytes = kMaxUnpackedBytes;

  bool is_open_ended() const {
    return session.status == SessionStatus::kRunning || session.status == SessionStatus::kIncomplete;
  }
  bool lists(const char* relative) const { return manifest && manifest->contains(relative); }
  void lose(std::string what) { session.losses.push_back(std::move(what)); }

  // kUsage where the file is not what the manifest says. Without a manifest, and for files it does not list, nothing is
  // known.
  Result<void> check(const std::string& relative) const {
    const auto listed = manifest ? manifest->find(relative) : Manifest::const_iterator();
    if (!manifest || listed == manifest->end()) {
      return {};
    }
    const std::filesystem::path path = session.path / relative;
    AACO_ASSIGN(const ManifestFile file, describe_file(path));
    if (file.bytes != listed->second.bytes || file.sha256 != listed->second.sha256) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{}: changed since the session was closed (its checksum in manifest.json differs)",
                               path.string()),
                   "the file is damaged or was edited: restore it from a copy"};
    }
    return {};
  }
};

// Rows of a Parquet file that is there. False where it is not; that is a loss if the session says that it was.
template <class Row>
Result<bool> load(Opening& opening, const char* relative, std::vector<Row>& rows) {
  if (is_there(opening.session.path / relative)) {
    AACO_TRY(opening.check(relative));
    AACO_ASSIGN(rows, read_parquet_rows<Row>(opening.session.path / relative, opening.left_bytes));
    return true;
  }
  if (opening.lists(relative)) {
    opening.lose(fmt::format("{}: missing", relative));
  }
  return false;
}

// k of iterations_p<k>.jrn.
std::optional<int64_t> process_of_journal(const std::string& name) {
  int64_t process = -1;
  const size_t prefix = std::string_view("iterations_p").size();
  if (name.starts_with("iterations_p")) {
    std::from_chars(name.data() + prefix, name.data() + name.size(), process);
  }
  return process >= 0 && name == iteration_journal_name(process) ? std::optional(process) : std::nullopt;
}

std::vector<int64_t> processes_with_journals(const std::filesystem::path& folder) {
  std::vector<int64_t> processes;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (const std::optional<int64_t> process = process_of_journal(entry->path().filename().string())) {
      processes.push_back(*process);
    }
  }
  std::sort(processes.begin(), processes.end());
  return processes;
}

// What a journal that is there gives; one that cannot be read is a loss and no error, since another one may be whole.
template <class Row>
void take_journal(Opening& opening, const std::string& name, Result<std::vector<Row>> read, bool torn,
                  std::vector<Row>& rows) {
  if (!read) {
    opening.lose("journal lost: " + read.error().message);
    return;
  }
  // The row that a running session is just storing is no loss.
  if (torn && opening.session.status != SessionStatus::kRunning) {
    opening.lose(fmt::format("{}: torn after {} rows", name, read->size()));
  }
  rows.insert(rows.end(), std::move_iterator(read->begin()), std::move_iterator(read->end()));
}

void recover_iterations(Opening& opening) {
  const std::filesystem::path folder = opening.session.path / layout::kJournals;
  std::vector<IterationRow>& rows = opening.session.recording.iterations;
  const std::vector<int64_t> processes = processes_with_journals(folder);
  for (const int64_t process : processes) {
    const std::string name = iteration_journal_name(process);
    bool torn = false;
    Result<std::vector<IterationRow>> read = read_iteration_journal(folder / name, process, &torn);
    take_journal(opening, name, std::move(read), torn, rows);
  }
  if (!processes.empty()) {
    opening.lose(fmt::format("{}: not written; {} of {} were read back from the journals", layout::kIterations,
                             counted(rows.size(), "row", "rows"), counted(processes.size(), "process", "processes")));
  } else if (opening.is_open_ended()) {
    opening.lose(fmt::format("{}: not written, and no journal is there", layout::kIterations));
  } else if (needs_iterations(opening.session.info) && !opening.lists(layout::kIterations)) {
    opening.lose(fmt::format("{}: missing, and not in {}", layout::kIterations, layout::kManifest));
  }
}

template <class Row>
void recover_collected(Opening& opening, std::vector<Row>& rows) {
  const std::vector<std::string> journals = collected_journals(opening.session.path, RowSchema<Row>::kName);
  for (const std::string& journal : journals) {
    bool torn = false;
    Result<std::vector<Row>> read = read_row_journal<Row>(opening.session.path / journal, &torn);
    take_journal(opening, journal, std::move(read), torn, rows);
  }
  if (!rows.empty()) {  // of no rows no table is written
    opening.lose(fmt::format("{}: not written; {} rows were read back from the journal",
                             collected_table_path(RowSchema<Row>::kName), rows.size()));
  }
}

// Rows that collectors recorded, of every kind.
Result<void> load_collected(Opening& opening) {
  Result<void> first;
  opening.session.recording.collected.for_each([&]<class Row>(std::vector<Row>& rows) {
    const std::string table = collected_table_path(RowSchema<Row>::kName);
    const Result<bool> loaded = first ? load(opening, table.c_str(), rows) : Result<bool>(first.error());
    if (!loaded) {
      first = loaded.error();
    } else if (!*loaded) {
      recover_collected(opening, rows);
    }
  });
  return first;
}

Result<void> load_environment(Opening& opening) {
  const std::filesystem::path path = opening.session.path / layout::kEnvironment;
  if (!is_there(path)) {
    opening.lose(fmt::format("{}: missing", layout::kEnvironment));
    return {};
  }
  AACO_TRY(opening.check(layout::kEnvironment));
  AACO_ASSIGN(opening.session.environment, read_json(path));
  return {};
}

Result<void> load_tables(Opening& opening) {
  Recording& recording = opening.session.recording;
  AACO_ASSIGN(const bool has_iterations, load(opening, layout::kIterations, recording.iterations));
  if (!has_iterations) {
    recover_iterations(opening);
  }
  AACO_TRY(load_collected(opening));
  AACO_TRY(load(opening, layout::kKernels, recording.kernels));
  AACO_TRY(load(opening, layout::kGraphNodes, recording.nodes));
  AACO_TRY(load(opening, layout::kGraphEdges, recording.edges));
  return {};
}

Result<OpenSession> open_as_it_is(const std::filesystem::path& path) {
  Opening opening;
  OpenSession& session = opening.session;
  session.path = path;
  AACO_ASSIGN(session.info, read_session_info(path));
  session.status = effective_status(session.info);
  session.recording.facts = session.info.facts;
  session.recording.planes = session.info.planes;
  if (!opening.is_open_ended()) {
    AACO_ASSIGN(opening.manifest, read_manifest(path));
    if (!opening.manifest) {
      opening.lose(fmt::format("{}: missing, so that nothing can be checked", layout::kManifest));
    }
    AACO_TRY(opening.check(layout::kSession));
  }
  AACO_TRY(load_environment(opening));
  AACO_TRY(load_tables(opening));
  return std::move(opening.session);
}

std::string session_text(const std::filesystem::path& path) {
  const Result<std::string> text = read_file(path / layout::kSession, uint64_t{64} << 20);
  return text ? *text : "";
}

}  // namespace

Result<OpenSession> open_session(const std::filesystem::path& path) {
  const std::string before = session_text(path);
  Result<OpenSession> opened = open_as_it_is(path);
  // A session that closed meanwhile has its rows in Parquet and no journals any more.
  return session_text(path) == before ? std::move(opened) : open_as_it_is(path);
}

}  // namespace aaco
