// SPDX-License-Identifier: MIT
// What a search for the first slow commit says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/statistics.h"
#include "base/text/enum_words.h"

namespace aaco {

enum class BisectEnd : uint8_t { kUndecided, kDecided, kNotSlower };
template <>
inline constexpr EnumWords<BisectEnd, 3> kWordsOf<BisectEnd>{{"undecided", "decided", "not slower"}};

struct BisectAnswer {
  BisectEnd end = BisectEnd::kUndecided;
  std::vector<std::string> commits;     // commit 0 is good
  std::vector<double> probability;      // of commits[i + 1] being the first slow one; empty where bad is not slower
  size_t first_slow = 0;                // the likeliest
  std::optional<RatioEstimate> change;  // slow over fast commits, 95 %; of the ends, 98 %, where bad is not slower
  size_t builds = 0;                    // those that failed too
  size_t measurements = 0;              // one of the search is two runs: the good commit runs beside each
  // Of the machine's processors, held by other programs while this search ran; none where the kernel does not tell.
  std::optional<double> others_share;
  std::vector<std::string> skipped;  // could not be built or measured
};

Json bisect_json(const BisectAnswer& answer);
// The answer first, then each commit that may be meant. `subject_of`: the title of a commit.
std::string bisect_text(const BisectAnswer& answer, const std::function<std::string(const std::string&)>& subject_of);

}  // namespace aaco
