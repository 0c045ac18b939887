// SPDX-License-Identifier: MIT
#include "serve/live/journal_follower.h"

#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "record/journal/journal_rows.h"
#include "session/bundle/layout.h"

namespace aaco::serve {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostJournals = 1024;
constexpr size_t kMostRowsALook = 1'000'000;  // so that a look ends however fast the writer is

}  // namespace

RunningFigures JournalFollower::look() {
  std::error_code error;
  fs::directory_iterator entry(bundle_ / layout::kJournals, error);
  for (; !error && entry != fs::end(entry) && journals_.size() < kMostJournals; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("iterations_p") && name.ends_with(".jrn")) {
      if (!has_ranks_ || name == iteration_journal_name(0)) {
        journals_.try_emplace(entry->path());
      }
    } else if (name.ends_with(".jrn") && counters_.size() < kMostJournals && !counters_.contains(entry->path())) {
      open_counter(entry->path());
    }
  }
  RunningFigures figures;
  count_events(figures);
  for (auto& [path, journal] : journals_) {
    follow(path, journal);
    figures.iterations += journal.rows;
    figures.processes += journal.reader ? 1 : 0;
  }
  std::sort(last_.begin(), last_.end(),
            [](const IterationPoint& a, const IterationPoint& b) { return a.end_ns < b.end_ns; });
  if (last_.size() > kMostPoints) {
    last_.erase(last_.begin(), last_.end() - kMostPoints);
  }
  figures.last = last_;
  return figures;
}

// One that has no header yet is looked at again.
void JournalFollower::open_counter(const fs::path& path) {
  if (!JournalReader::open(path)) {
    return;
  }
  Result<EventJournalCounter> counter = EventJournalCounter::open(path);
  counters_.emplace(path, counter ? std::optional(std::move(counter).value()) : std::nullopt);
}

void JournalFollower::count_events(RunningFigures& figures) {
  for (auto& [path, counter] : counters_) {
    if (!counter || !counter->look(kMostRowsALook)) {
      continue;
    }
    const EventCounts& counts = counter->counts();
    ++figures.event_journals;
    figures.events.events += counts.events;
    figures.events.kernels += counts.kernels;
    figures.events.copies += counts.copies;
    figures.events.copied_bytes += counts.copied_bytes;
    figures.events.journal_bytes += counts.journal_bytes;
  }
  const int64_t now_ns = monotonic_ns();
  if (looked_ns_ != 0 && figures.event_journals > 0 && now_ns > looked_ns_) {
    rates_.push_back({now_ns, static_cast<double>(figures.events.kernels - kernels_before_) * 1e9 /
                                  static_cast<double>(now_ns - looked_ns_)});
  }
  if (rates_.size() > kMostPoints) {
    rates_.erase(rates_.begin());
  }
  looked_ns_ = now_ns;
  kernels_before_ = figures.events.kernels;
  figures.rates = rates_;
}

void JournalFollower::follow(const fs::path& path, FollowedJournal& journal) {
  if (!journal.reader) {
    Result<JournalReader> reader = JournalReader::open(path);
    if (!reader || reader->row_bytes() != sizeof(IterationJournalRow)) {
      return;
    }
    journal.reader.emplace(std::move(reader).value());
  }
  std::vector<char> rows;
  for (size_t count = 0; count < kMostRowsALook;) {
    const Result<size_t> more = journal.reader->read(rows);
    if (!more || *more == 0) {
      break;
    }
    count += *more;
    journal.rows += *more;
    // Older ones are counted, and not kept.
    constexpr size_t kKept = kMostPoints * sizeof(IterationJournalRow);
    if (rows.size() > 2 * kKept) {
      rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(kKept));
    }
  }
  const Result<TickClock> clock = read_journal_clock(path);
  for (size_t at = 0; clock && at + sizeof(IterationJournalRow) <= rows.size(); at += sizeof(IterationJournalRow)) {
    IterationJournalRow row;
    std::memcpy(&row, rows.data() + at, sizeof row);
    const int64_t start_ns = clock->to_ns(Ticks{row.start_ticks});
    const int64_t end_ns = clock->to_ns(Ticks{row.end_ticks});
    last_.push_back({end_ns, static_cast<double>(end_ns - start_ns) / 1e6});
  }
}

}  // namespace aaco::serve
