// SPDX-License-Identifier: MIT
#include "record/journal/journal_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/files/file.h"
#include "base/json/json.h"

namespace aaco {

namespace {

constexpr const char* kIterations = "iterations";
constexpr const char* kHint = "the file is damaged, or was not written by this version of aaco";
// Times within a century of the clock's start: what lies beyond would overflow, and no journal of ours has it.
constexpr double kFarthestNs = 3.2e18;

Error damaged(const std::filesystem::path& path, const std::string& why) {
  return {ErrorKind::kUsage, path.string() + ": " + why, kHint};
}

std::filesystem::path clock_path(std::filesystem::path journal) { return journal.replace_extension(".clock.json"); }

Json anchor_json(const TickClock::Anchor& anchor) { return {{"ticks", anchor.ticks}, {"ns", anchor.ns}}; }

Result<JournalContent> read_iterations(const std::filesystem::path& path, bool* torn) {
  AACO_ASSIGN(JournalContent content, read_journal(path));
  if (!content.description->is_object() || content.description->value("rows", Json()) != kIterations ||
      content.row_bytes != sizeof(IterationJournalRow)) {
    return damaged(path, fmt::format("not a journal of {} rows of {} bytes", kIterations, sizeof(IterationJournalRow)));
  }
  if (torn != nullptr) {
    *torn = content.torn;
  }
  return content;
}

bool in_range(const TickClock& clock, uint64_t ticks) {
  const auto since = static_cast<double>(static_cast<int64_t>(ticks - clock.first_anchor().ticks));
  return std::abs(since * clock.ns_per_tick()) < kFarthestNs;
}

// None where it has a phase or a time that cannot be.
std::optional<IterationRow> row_of(const IterationJournalRow& from, const TickClock& clock, int64_t process,
                                   uint64_t index) {
  static constexpr std::array kPhases{IterationPhase::kWarmup,  IterationPhase::kMeasure, IterationPhase::kProfile,
                                      IterationPhase::kPrefill, IterationPhase::kDecode,  IterationPhase::kDispatch};
  if (from.phase < 0 || from.phase >= static_cast<int32_t>(kPhases.size()) || !in_range(clock, from.start_ticks) ||
      !in_range(clock, from.end_ticks)) {
    return std::nullopt;
  }
  IterationRow row;
  row.process = process;
  row.iter_idx = static_cast<int64_t>(index);
  row.phase = kPhases[static_cast<size_t>(from.phase)];
  row.t_start_ns = clock.to_ns(Ticks{from.start_ticks});
  row.t_end_ns = clock.to_ns(Ticks{from.end_ticks});
  row.latency_ms = static_cast<double>(row.t_end_ns - row.t_start_ns) / 1e6;
  if (from.token_idx >= 0) {
    row.token_idx = from.token_idx;
  }
  return row;
}

}  // namespace

std::string iteration_journal_name(int64_t process) { return fmt::format("iterations_p{}.jrn", process); }

Result<JournalWriter> create_iteration_journal(const std::filesystem::path& path, int64_t process) {
  return JournalWriter::create(path, sizeof(IterationJournalRow), {{"rows", kIterations}, {"process", process}});
}

Result<void> write_journal_clock(const std::filesystem::path& path, const TickClock& clock) {
  return write_json(clock_path(path),
                    {{"first", anchor_json(clock.first_anchor())}, {"last", anchor_json(clock.last_anchor())}});
}

Result<TickClock> read_journal_clock(const std::filesystem::path& journal) {
  const std::filesystem::path path = clock_path(journal);
  AACO_ASSIGN(const std::string text, read_file(path, 1 << 16));
  AACO_ASSIGN(const Json json, parse_json(text, path.string()));
  std::array<TickClock::Anchor, 2> anchors;
  for (const auto& [name, anchor] : {std::pair{"first", &anchors[0]}, {"last", &anchors[1]}}) {
    const Json& from = json.contains(name) ? json[name] : Json();
    if (!from.is_object() || !from.contains("ticks") || !from.contains("ns") || !from["ticks"].is_number_unsigned() ||
        !from["ns"].is_number_unsigned() || from["ns"] > static_cast<uint64_t>(kFarthestNs)) {
      return damaged(path, fmt::format("no anchor \"{}\" of ticks and ns", name));
    }
    *anchor = {from["ticks"].get<uint64_t>(), from["ns"].get<int64_t>()};
  }
  if (anchors[0].ticks >= anchors[1].ticks || anchors[0].ns >= anchors[1].ns) {
    return damaged(path, "the last anchor is not after the first");
  }
  return TickClock(anchors[0], anchors[1]);
}

Result<std::vector<IterationRow>> read_iteration_journal(const std::filesystem::path& path, int64_t process,
                                                         bool* torn) {
  AACO_ASSIGN(const JournalContent content, read_iterations(path, torn));
  AACO_ASSIGN(const TickClock clock, read_journal_clock(path));
  std::vector<IterationRow> rows;
  rows.reserve(content.row_count);
  for (uint64_t i = 0; i < content.row_count; ++i) {
    std::optional<IterationRow> row = row_of(content.row<IterationJournalRow>(i), clock, process, i);
    if (!row) {
      return damaged(path, fmt::format("row {} has a phase or a time that cannot be", i));
    }
    rows.push_back(std::move(*row));
  }
  return rows;
}

Result<LastIterations> read_last_iterations(const std::filesystem::path& path, size_t most) {
  constexpr size_t kRowBytes = sizeof(IterationJournalRow);
  AACO_ASSIGN(JournalReader reader, JournalReader::open(path));
  if (reader.row_bytes() != kRowBytes || !reader.description()->is_object() ||
      reader.description()->value("rows", Json()) != kIterations) {
    return damaged(path, "not a journal of iterations");
  }
  AACO_ASSIGN(const TickClock clock, read_journal_clock(path));
  AACO_ASSIGN(const auto process,
              from_json_value<int64_t>(reader.description()->value("process", Json()), path.string()));
  std::vector<char> bytes;
  LastIterations last;
  uint64_t count = 0;
  const auto keep = [&](size_t kept) {
    bytes.erase(bytes.begin(), bytes.end() - static_cast<std::ptrdiff_t>(std::min(kept * kRowBytes, bytes.size())));
  };
  for (size_t more = 1; more > 0; count += more) {
    AACO_ASSIGN(more, reader.read(bytes));
    if (bytes.size() > 2 * most * kRowBytes) {
      keep(most);
    }
  }
  keep(most);
  last.older = count - bytes.size() / kRowBytes;
  for (size_t at = 0; at < bytes.size(); at += kRowBytes) {
    IterationJournalRow from;
    std::memcpy(&from, bytes.data() + at, kRowBytes);
    std::optional<IterationRow> row = row_of(from, clock, process, last.older + at / kRowBytes);
    if (!row) {
      return damaged(path, "a row has a phase or a time that cannot be");
    }
    last.rows.push_back(std::move(*row));
  }
  return last;
}

}  // namespace aaco
