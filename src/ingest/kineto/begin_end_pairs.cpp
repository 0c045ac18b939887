// SPDX-License-Identifier: MIT
#include "ingest/kineto/begin_end_pairs.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace aaco {

namespace {

constexpr size_t kNoRow = SIZE_MAX;

// The open slices of one thread, which is given its marks in the order of their times.
class OpenSlices {
 public:
  OpenSlices(EventTable& table, const std::string& file) : table_(table), file_(file) {}

  void begin(size_t row) {
    advance_to(table_.start_ns[row]);
    const StringId name = table_.name[row];
    by_name_[name].push_back(stack_.size());
    stack_.push_back({row, take_early_end(name)});
    untied_ += stack_.back().early_end == kNoRow ? 1 : 0;
  }

  void end(size_t row) {
    advance_to(table_.start_ns[row]);
    const StringId name = table_.name[row];
    const size_t at = name == kEmptyString ? innermost() : innermost(name);
    if (at == kNoRow) {
      early_ends_[name].push_back(row);
      return;
    }
    close(at, table_.start_ns[row], false);
  }

  // What is left has no partner.
  void finish() {
    forget_early_ends();
    for (const Slice& slice : stack_) {
      if (slice.closed) {
        continue;
      }
      if (slice.early_end != kNoRow) {
        set_length(slice.row, 0);
        continue;
      }
      table_.duration_ns[slice.row] = 0;
      table_.shape[slice.row] = EventShape::kInstant;
      add_unmatched(slice.row, "begins");
    }
  }

 private:
  struct Slice {
    size_t row;
    size_t early_end;  // an end that stands before it at the same time, and is its own where no other one comes
    bool closed = false;
  };

  void advance_to(int64_t time_ns) {
    if (time_ns != now_ns_) {
      forget_early_ends();
      now_ns_ = time_ns;
    }
  }

  void forget_early_ends() {
    for (const auto& [name, rows] : early_ends_) {
      for (const size_t row : rows) {
        add_unmatched(row, "ends");
      }
    }
    early_ends_.clear();
  }

  size_t take_early_end(StringId name) {
    if (early_ends_.empty()) {
      return kNoRow;
    }
    auto early = early_ends_.find(name);
    early = early == early_ends_.end() ? early_ends_.find(kEmptyString) : early;
    if (early == early_ends_.end()) {
      return kNoRow;
    }
    const size_t row = early->second.back();
    early->second.pop_back();
    if (early->second.empty()) {
      early_ends_.erase(early);
    }
    return row;
  }

  // The place of the open slice that an end of that name belongs to: a begin without a name takes any.
  size_t innermost(StringId name) {
    const auto last = [&](StringId string_id) {
      const auto open_slice = by_name_.find(string_id);
      return open_slice == by_name_.end() || open_slice->second.empty() ? kNoRow : open_slice->second.back();
    };
    const size_t named = last(name);
    const size_t nameless = last(kEmptyString);
    return named == kNoRow ? nameless : nameless == kNoRow ? named : std::max(named, nameless);
  }

  // The same of an end without a name. Slices that have an end already, at their begin, are passed over.
  size_t innermost() {
    while (untied_ > 0 && stack_.back().early_end != kNoRow) {
      close(stack_.size() - 1, table_.start_ns[stack_.back().row], true);
    }
    return stack_.empty() ? kNoRow : stack_.size() - 1;
  }

  void close(size_t at, int64_t end_ns, bool by_early_end) {
    Slice& slice = stack_[at];
    slice.closed = true;
    by_name_[table_.name[slice.row]].pop_back();
    untied_ -= slice.early_end == kNoRow ? 1 : 0;
    const int64_t length_ns = end_ns - table_.start_ns[slice.row];
    if (slice.early_end != kNoRow && !by_early_end) {
      add_unmatched(slice.early_end, "ends");
    }
    set_length(slice.row, length_ns);
    while (!stack_.empty() && stack_.back().closed) {
      stack_.pop_back();
    }
  }

  void set_length(size_t row, int64_t length_ns) {
    table_.duration_ns[row] = length_ns;
    if (length_ns == 0 && is_on_device(table_.kind[row])) {
      table_.losses.add(Loss::kZeroDuration, [&] { return place_of(row, "begins"); });
    }
  }

  void add_unmatched(size_t row, const char* what) {
    table_.losses.add(Loss::kUnmatchedBegin, [&] { return place_of(row, what); });
  }

  std::string place_of(size_t row, const char* what) const {
    return fmt::format("{}: \"{}\" {} at {} ns", file_, table_.strings[table_.name[row]], what, table_.start_ns[row]);
  }

  EventTable& table_;
  const std::string& file_;
  std::vector<Slice> stack_;                                   // the innermost last, and never closed
  size_t untied_ = 0;                                          // of those open: without an early end
  std::unordered_map<StringId, std::vector<size_t>> by_name_;  // places in the stack of those open
  std::map<StringId, std::vector<size_t>> early_ends_;         // of this time: ends that nothing open belongs to
  int64_t now_ns_ = kNoId;
};

// The marks of a thread: those that stand in the order of their times are taken as they come, others are collected.
struct Thread {
  OpenSlices open;
  int64_t last_ns = kNoId;
  bool in_order = true;
  std::vector<size_t> rows = {};
};

}  // namespace

void match_begins_and_ends(EventTable& table, uint32_t recording, size_t first, const std::string& file) {
  std::map<std::pair<StringId, StringId>, size_t> numbers;  // of threads, by process and thread
  std::vector<size_t> thread_of(table.tracks.size());
  std::vector<Thread> threads;
  for (size_t i = 0; i < table.tracks.size(); ++i) {
    const Track& track = table.tracks[i];
    if (track.recording == recording) {
      const auto [number, added] = numbers.try_emplace({track.process, track.thread}, threads.size());
      if (added) {
        threads.push_back({OpenSlices(table, file)});
      }
      thread_of[i] = number->second;
    }
  }
  const auto each_mark = [&](auto take) {
    for (size_t row = first; row < table.size(); ++row) {
      const bool begins = table.shape[row] == EventShape::kSlice && table.duration_ns[row] == kOpenSliceNs;
      if (begins || table.shape[row] == EventShape::kSliceEnd) {
        take(threads[thread_of[table.track[row]]], row, begins);
      }
    }
  };
  each_mark([&](Thread& thread, size_t row, bool) {
    thread.in_order = thread.in_order && table.start_ns[row] >= thread.last_ns;
    thread.last_ns = table.start_ns[row];
  });
  const auto add = [&](Thread& thread, size_t row, bool begins) {
    begins ? thread.open.begin(row) : thread.open.end(row);
  };
  each_mark([&](Thread& thread, size_t row, bool begins) {
    thread.in_order ? add(thread, row, begins) : thread.rows.push_back(row);
  });
  for (Thread& thread : threads) {
    std::stable_sort(thread.rows.begin(), thread.rows.end(),
                     [&](size_t a, size_t b) { return table.start_ns[a] < table.start_ns[b]; });
    for (const size_t row : thread.rows) {
      add(thread, row, table.shape[row] == EventShape::kSlice);
    }
    thread.open.finish();
  }
}

}  // namespace aaco
