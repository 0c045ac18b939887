// SPDX-License-Identifier: MIT
#include "session/collected_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <mutex>
#include <span>
#include <utility>

#include "base/files/file.h"
#include "record/journal/old_journals.h"
#include "record/journal/row_journal.h"
#include "session/bundle/layout.h"

namespace aaco {

namespace fs = std::filesystem;

struct CollectedJournals::State {
  fs::path bundle;
  std::string writer;
  std::mutex mutex;  // over the journals and the count
  std::vector<std::function<Result<void>()>> closers;
  std::vector<fs::path> paths;
  int64_t rows = 0;

  template <class Row>
  Result<void> create(RowSinks& sinks) {
    const fs::path path = bundle / collected_journal_path(RowSchema<Row>::kName, writer);
    AACO_ASSIGN(auto created, RowJournalWriter<Row>::create(path));
    paths.push_back(path);
    const auto journal = std::make_shared<RowJournalWriter<Row>>(std::move(created));
    closers.emplace_back([journal] { return journal->close(); });
    sinks.set<Row>([this, journal](std::span<const Row> pushed) {
      const std::lock_guard lock(mutex);
      rows += std::count_if(pushed.begin(), pushed.end(), [&](const Row& row) { return journal->append(row); });
    });
    return {};
  }
};

std::string collected_table_path(std::string_view table) { return fmt::format("telemetry/{}.parquet", table); }

std::string collected_journal_path(std::string_view table, std::string_view writer) {
  return fmt::format("{}/{}.{}.jrn", layout::kJournals, table, writer);
}

CollectedJournals::CollectedJournals(fs::path bundle, std::string writer) : state_(std::make_unique<State>()) {
  state_->bundle = std::move(bundle);
  state_->writer = std::move(writer);
}

CollectedJournals::~CollectedJournals() = default;

Result<void> CollectedJournals::create(std::string_view table) {
  Result<void> outcome = Error{ErrorKind::kBug, fmt::format("no kind of row is named {}", table), ""};
  AACO_TRY(make_folders(state_->bundle / layout::kJournals));
  CollectedRows().for_each([&]<class Row>(const std::vector<Row>&) {
    if (table == RowSchema<Row>::kName) {
      outcome = state_->create<Row>(sinks_);
    }
  });
  return outcome;
}

int64_t CollectedJournals::row_count() const {
  const std::lock_guard lock(state_->mutex);
  return state_->rows;
}

Result<void> CollectedJournals::close() {
  const std::lock_guard lock(state_->mutex);
  Result<void> first;
  for (const auto& close : std::exchange(state_->closers, {})) {
    const Result<void> closed = close();
    first = first ? closed : first;
  }
  return first;
}

void CollectedJournals::discard() {
  for (const fs::path& path : state_->paths) {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
}

std::vector<std::string> collected_journals(const fs::path& bundle, std::string_view table) {
  const std::string old = old_journal_path(table), prefix = fmt::format("{}.", table);
  std::vector<std::string> prefixes;
  std::error_code error;
  for (fs::directory_iterator entry(bundle / layout::kJournals, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const std::string path = fmt::format("{}/{}", layout::kJournals, name);
    std::error_code ignored;
    if (((name.starts_with(prefix) && name.ends_with(".jrn")) || path == old) && entry->is_regular_file(ignored)) {
      prefixes.push_back(path);
    }
  }
  std::sort(prefixes.begin(), prefixes.end(), [&](const std::string& a, const std::string& b) {
    return std::pair(a != old, a) < std::pair(b != old, b);
  });
  return prefixes;
}

Result<void> read_collected_journals(const fs::path& bundle, CollectedRows& rows, std::vector<std::string>& warnings) {
  Result<void> first;
  rows.for_each([&]<class Row>(std::vector<Row>& to) {
    for (const std::string& path : collected_journals(bundle, RowSchema<Row>::kName)) {
      bool torn = false;
      Result<std::vector<Row>> read = read_row_journal<Row>(bundle / path, &torn);
      if (!read) {
        first = first ? read.error() : first;
        continue;
      }
      to.insert(to.end(), std::move_iterator(read->begin()), std::move_iterator(read->end()));
      if (torn) {
        warnings.push_back(fmt::format("the journal {} ends in a torn row", path));
      }
    }
  });
  return first;
}

Result<void> write_collected_tables(SessionWriter& session, const CollectedRows& rows) {
  Result<void> first;
  rows.for_each([&]<class Row>(const std::vector<Row>& some) {
    if (!some.empty() && first) {
      first = session.write_rows<Row>(collected_table_path(RowSchema<Row>::kName).c_str(), some);
    }
  });
  return first;
}

}  // namespace aaco
