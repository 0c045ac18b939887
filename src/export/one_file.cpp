// SPDX-License-Identifier: MIT
#include "export/one_file.h"

#include <map>
#include <set>

namespace aaco {

namespace {

// Recordings of which readers of one file cannot tell whose a device or a correlation id is.
uint64_t mixed_recordings(const EventTable& events) {
  std::map<int64_t, std::set<uint32_t>> by_rank;
  for (const Track& track : events.tracks) {
    if (track.device != kNoId) {
      by_rank[track.rank].insert(track.recording);
    }
  }
  std::set<uint32_t> mixed;
  for (const auto& [rank, recordings] : by_rank) {
    if (recordings.size() > 1) {
      mixed.insert(recordings.begin(), recordings.end());
    }
  }
  return mixed.size();
}

}  // namespace

OutputFile::Form form_of(const std::filesystem::path& path) {
  return path.extension() == ".gz" ? OutputFile::Form::kGzip : OutputFile::Form::kPlain;
}

bool has_number(const EventTable& events, size_t event) {
  for (size_t i = events.arguments.begin(event); i < events.arguments.end(event); ++i) {
    const ArgumentType type = events.arguments[i].type;
    if (type == ArgumentType::kInteger || type == ArgumentType::kReal) {
      return true;
    }
  }
  return false;
}

void remark_what_all_files_change(const EventTable& events, const Layout& layout, uint64_t mended_texts,
                                  ExportCounts& counts) {
  counts.remark("texts that are no UTF-8", mended_texts, false, "with bad bytes replaced");
  counts.remark("nanoseconds added to all times", static_cast<uint64_t>(layout.shift_ns), false,
                "viewers take no negative times");
  counts.remark("recordings of the same rank", mixed_recordings(events), false,
                "drawn apart; what reads devices and correlation ids from this file takes them for one: export each "
                "alone, or name ranks");
}

}  // namespace aaco
