// SPDX-License-Identifier: MIT
// How requests arrive at a run under load, and what its user calls good enough.
#pragma once

#include <cstdint>
#include <optional>

#include "base/json/json_fwd.h"
#include "base/text/enum_words.h"

namespace aaco {

enum class Arrivals : uint8_t { kPoisson, kUniform };
template <>
inline constexpr EnumWords<Arrivals, 2> kWordsOf<Arrivals>{{"poisson", "uniform"}};

struct LoadFacts {
  Arrivals arrivals = Arrivals::kPoisson;
  double rate_per_s = 0;
  // A request is good where each that is given holds, in ms.
  std::optional<double> ttft_ms = std::nullopt;  // arrival to first token
  std::optional<double> tpot_ms = std::nullopt;  // mean time between its tokens
  std::optional<double> e2el_ms = std::nullopt;  // arrival to end

  bool has_limits() const { return ttft_ms || tpot_ms || e2el_ms; }
};

void to_json(Json& json, const LoadFacts& load);
void from_json(const Json& json, LoadFacts& load);

}  // namespace aaco
