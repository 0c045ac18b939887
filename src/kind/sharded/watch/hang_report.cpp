// SPDX-License-Identifier: MIT
#include "kind/sharded/watch/hang_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <sstream>

#include "base/process/process.h"
#include "kind/sharded/watch/rank_watch.h"

namespace aaco {

namespace fs = std::filesystem;

namespace {

constexpr int kSymbolPatienceMs = 3000;
// Before the program and the offsets; both print the same. The first is several times as fast.
const std::vector<std::vector<std::string>> kSymbolizers{{"llvm-symbolizer", "--output-style=GNU", "-apfCi", "-e"},
                                                         {"addr2line", "-apfCi", "-e"}};

struct LeftFrame {
  std::string module;
  std::string offset;  // "0x1f"
  std::string symbol;
};

std::vector<LeftFrame> frames_in(const std::string& stack) {
  std::vector<LeftFrame> frames;
  std::istringstream lines(stack);
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(' ');
    const size_t second = first == std::string::npos ? first : line.find(' ', first + 1);
    if (second != std::string::npos) {
      frames.push_back({line.substr(0, first), line.substr(first + 1, second - first - 1), line.substr(second + 1)});
    }
  }
  return frames;
}

// "0x1f: f() at /a/b.cpp:3", then " (inlined by) g() at /a/b.cpp:9": as "f() (b.cpp:3)".
std::string call_in(const std::string& line, size_t begin) {
  const size_t at = line.rfind(" at ");
  if (at == std::string::npos || line.compare(begin, 2, "??") == 0) {
    return "";
  }
  std::string place = fs::path(line.substr(at + 4)).filename().string();
  place = place.substr(0, place.find(" (discriminator"));
  const std::string function = line.substr(begin, at - begin);
  return place.starts_with("??") ? function : fmt::format("{} ({})", function, place);
}

// What this program's debug information says of places in it, innermost call first.
std::map<std::string, std::vector<std::string>> calls_at(const std::string& program,
                                                         const std::vector<std::string>& offsets) {
  std::map<std::string, std::vector<std::string>> calls;
  if (offsets.empty()) {
    return calls;
  }
  Result<std::vector<std::string>> lines = std::vector<std::string>();
  for (std::vector<std::string> command : kSymbolizers) {
    command.push_back(program);
    command.insert(command.end(), offsets.begin(), offsets.end());
    lines = lines_of(command, kSymbolPatienceMs);
    if (lines) {
      break;
    }
  }
  size_t next = 0;
  constexpr const char* kInlined = " (inlined by) ";
  for (const std::string& line : lines ? *lines : std::vector<std::string>()) {
    const bool inlined = line.starts_with(kInlined);
    const size_t colon = line.find(": ");
    if (!inlined && (colon == std::string::npos || next == offsets.size())) {
      continue;
    }
    next += inlined ? 0 : 1;
    if (const std::string call = call_in(line, inlined ? std::string(kInlined).size() : colon + 2);
        next > 0 && !call.empty()) {
      calls[offsets[next - 1]].push_back(call);
    }
  }
  return calls;
}

std::string name_of(const LeftFrame& frame) {
  const std::string module = fs::path(frame.module).filename().string();
  return frame.symbol.empty() ? fmt::format("{}+{}", module, frame.offset)
                              : fmt::format("{} ({})", frame.symbol, module);
}

bool was_stopped(char state) { return state == 'T' || state == 't'; }

// `state`: as a watch saw the process.
std::string why_no_stack(const WatchRecord* record, char state, bool dead) {
  if (dead || state == '?' || state == 'Z' || state == 'X') {
    return "its process had ended";
  }
  if (was_stopped(state)) {
    return "a signal had stopped its process";
  }
  const std::string why = record == nullptr ? "" : read_text(record->no_stack);
  return why.empty() ? "its process ended before it was taken" : why;
}

// What a rank left, by a clock that is ahead of rank 0's.
struct LeftRecord {
  MappedRecord mapped;
  int64_t ahead_ns = 0;

  const WatchRecord* get() const { return mapped.get(); }
  int64_t told_ns() const { return get()->told_ns - ahead_ns; }
};

// Whichever found something first.
const LeftRecord* first_teller(const std::vector<LeftRecord>& records) {
  const LeftRecord* first = nullptr;
  for (const LeftRecord& record : records) {
    if (record.get() != nullptr && record.get()->told_ns != 0 &&
        (first == nullptr || record.told_ns() < first->told_ns())) {
      first = &record;
    }
  }
  return first;
}

// As it was then: a process that was stopped may have gone on when it was told to end.
std::vector<HungCollective> collectives_until(const LeftRecord& record, int64_t found_ns) {
  std::vector<HungCollective> collectives;
  for (HungCollective& one : collectives_in(*record.get())) {
    for (std::optional<int64_t>* time_ns : {&one.enqueued_ns, &one.started_ns, &one.done_ns}) {
      if (*time_ns) {
        **time_ns -= record.ahead_ns;
      }
    }
    if (one.enqueued_ns > found_ns) {
      break;
    }
    one.started_ns = one.started_ns > found_ns ? std::nullopt : one.started_ns;
    one.done_ns = one.done_ns > found_ns ? std::nullopt : one.done_ns;
    collectives.push_back(std::move(one));
  }
  return collectives;
}

HungRank hung_rank(int64_t rank, const LeftRecord& left, const RankSighting& seen, int64_t found_ns, bool dead) {
  const WatchRecord* const record = left.get();
  HungRank hung;
  hung.rank = rank;
  if (record != nullptr) {
    hung.pid = record->pid;
    hung.steps_begun = seen.state == '\0' ? record->steps_begun.load() : seen.steps_begun;
    hung.steps_done = seen.state == '\0' ? record->steps_done.load() : seen.steps_done;
    hung.collectives = collectives_until(left, found_ns);
  }
  hung.no_stack = why_no_stack(record, seen.state, dead);
  return hung;
}

int64_t last_heartbeat_ns(const std::vector<LeftRecord>& records) {
  int64_t last_ns = 0;
  for (const LeftRecord& record : records) {
    last_ns = std::max(last_ns, record.get() == nullptr ? 0 : record.get()->heartbeat_ns - record.ahead_ns);
  }
  return last_ns;
}

}  // namespace

std::vector<std::vector<std::string>> readable_stacks(const std::vector<std::string>& stacks) {
  std::error_code error;
  const std::string program = fs::read_symlink("/proc/self/exe", error).string();
  std::vector<std::vector<LeftFrame>> left;
  std::vector<std::string> offsets;
  const auto is_own = [&](const LeftFrame& frame) {
    return !frame.module.empty() && fs::equivalent(frame.module, program, error);
  };
  for (const std::string& stack : stacks) {
    left.push_back(frames_in(stack));
    for (const LeftFrame& frame : left.back()) {
      if (is_own(frame) && std::find(offsets.begin(), offsets.end(), frame.offset) == offsets.end()) {
        offsets.push_back(frame.offset);
      }
    }
  }
  const auto calls = calls_at(program, offsets);
  std::vector<std::vector<std::string>> readable;
  for (const std::vector<LeftFrame>& frames : left) {
    std::vector<std::string>& lines = readable.emplace_back();
    for (const LeftFrame& frame : frames) {
      const auto found = is_own(frame) ? calls.find(frame.offset) : calls.end();
      if (found == calls.end()) {
        lines.push_back(name_of(frame));
      } else {
        lines.insert(lines.end(), found->second.begin(), found->second.end());
      }
    }
  }
  return readable;
}

std::optional<ShardedHang> hang_report(const fs::path& folder, int64_t ranks, double limit_s, const RanksEnd& end,
                                       const std::vector<int64_t>& ahead_ns) {
  std::vector<LeftRecord> records;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const auto at = static_cast<size_t>(rank);
    records.push_back({MappedRecord(watch_record_path(folder, rank), false), at < ahead_ns.size() ? ahead_ns[at] : 0});
  }
  const LeftRecord* const first = first_teller(records);
  const WatchRecord* const teller = first == nullptr ? nullptr : first->get();
  if (teller == nullptr && !end.dead_rank) {
    return std::nullopt;
  }
  if (!end.dead_rank && teller->hung_class == HangClass::kDead) {
    return std::nullopt;  // it ended by itself, with the error that is the cause
  }
  ShardedHang hang;
  if (end.dead_rank) {
    hang.rank = *end.dead_rank;
    hang.kind = word_of(HangClass::kDead);
    hang.text = end.cause.message;
    hang.found_ns = first == nullptr ? last_heartbeat_ns(records) : first->told_ns();
  } else {
    hang.rank = teller->hung_rank;
    hang.kind = word_of(teller->hung_class);
    hang.text = read_text(teller->text);
    hang.found_ns = first->told_ns();
  }
  hang.limit_s = limit_s;
  hang.resolution_ns = kWatchPauseNs;
  std::vector<std::string> stacks;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const LeftRecord& left = records[static_cast<size_t>(rank)];
    const WatchRecord* const record = left.get();
    const bool is_seen = teller != nullptr && rank < static_cast<int64_t>(kMostSeenRanks);
    const RankSighting seen = is_seen ? teller->seen.at(static_cast<size_t>(rank)) : RankSighting();
    hang.ranks.push_back(hung_rank(rank, left, seen, hang.found_ns, end.dead_rank == rank));
    // What one left that went on when it was told to end is not where it was.
    stacks.push_back(record == nullptr || was_stopped(seen.state) ? "" : read_text(record->stack));
  }
  const auto readable = readable_stacks(stacks);
  for (size_t rank = 0; rank < hang.ranks.size(); ++rank) {
    hang.ranks[rank].stack = readable[rank];
    if (!readable[rank].empty()) {
      hang.ranks[rank].no_stack.clear();
    }
  }
  return hang;
}

}  // namespace aaco
