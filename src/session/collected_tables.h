// SPDX-License-Identifier: MIT
// The rows that collectors record (record/collected_rows.h) in a bundle: while work runs in journals,
// journal/<table>.<writer>.jrn, and then in telemetry/<table>.parquet. Every function here holds for each kind of row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/collected_rows.h"
#include "record/row_sinks.h"
#include "session/session.h"

namespace aaco {

std::string collected_table_path(std::string_view table);
std::string collected_journal_path(std::string_view table, std::string_view writer);

// Journals of one writer: a collector, or a process ("p3"). Sinks may be called from any thread.
class CollectedJournals {
 public:
  CollectedJournals(std::filesystem::path bundle, std::string writer);
  CollectedJournals(const CollectedJournals&) = delete;
  CollectedJournals& operator=(const CollectedJournals&) = delete;
  ~CollectedJournals();

  // Makes the journal of a table, and its sink. Errors: as JournalWriter::create; kBug for a table that is none.
  Result<void> create(std::string_view table);
  // Valid as long as this lives. A row that cannot be stored is told by close().
  const RowSinks& sinks() const { return sinks_; }
  int64_t row_count() const;
  // Errors: the first row that could not be stored (a full disk); the rows before it are there.
  Result<void> close();
  // Removes the journals: nothing will be pushed.
  void discard();

 private:
  struct State;
  std::unique_ptr<State> state_;
  RowSinks sinks_;
};

// The journals of a table that are there, from the bundle's folder, in the order of their names; one of an earlier
// version first (old_journals.h).
std::vector<std::string> collected_journals(const std::filesystem::path& bundle, std::string_view table);

// All kinds. Torn tails go to `warnings`. Errors: a journal that cannot be read.
Result<void> read_collected_journals(const std::filesystem::path& bundle, CollectedRows& rows,
                                     std::vector<std::string>& warnings);

// Kinds of which there are rows.
Result<void> write_collected_tables(SessionWriter& session, const CollectedRows& rows);

}  // namespace aaco
