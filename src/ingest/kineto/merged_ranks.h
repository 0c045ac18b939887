// SPDX-License-Identifier: MIT
// Traces of several ranks that a script merged into one file. Such scripts mark each process with its rank: SGLang
// "[TP01] 500" and "[TP01-DP00] 500", others "rank1 500", "rank1_500", "500 [rank 1]", or the process's name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "record/events/event_table.h"

namespace aaco {

// What the marked name of a process says: "[TP01-PP00] 0" is {"TP", 1}, {"PP", 0} and "0".
struct RankMark {
  struct Part {
    std::string_view dimension;  // "TP", "rank"; empty: a number alone
    int64_t number = 0;
  };
  std::vector<Part> parts;   // none: no mark
  std::string_view process;  // without the mark
};
RankMark rank_mark(std::string_view process);

// Gives the tracks of one file, where no event said a rank, the ranks that their processes are marked with, if at least
// two marks differ, else the file's own. Marks of several parts are the number of the only one that differs, else
// numbered in their order. Where a lane's process is its device, as in Kineto's files, lanes without a mark that claim
// one stream of one device from several processes become devices of their own, by their process.
void give_ranks(const StringTable& strings, std::optional<int64_t> file_rank, bool lanes_are_devices,
                std::span<Track> tracks);

}  // namespace aaco
