// SPDX-License-Identifier: MIT
// --load and --goodput: how requests arrive, and which of them are good.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/load.h"

namespace aaco {

// `arrivals`: a rate a second ("20": Poisson), "poisson:20" or "uniform:20". `limits`: each "ttft:200ms", "tpot:20ms",
// "e2el:2s" or several with commas; a number alone is milliseconds. Errors: kUsage.
Result<LoadFacts> parse_load(const std::string& arrivals, const std::vector<std::string>& limits);

// When each of `count` requests is due, in ns from the start, ascending: the same for a seed and a process.
std::vector<int64_t> arrival_times(const LoadFacts& load, uint64_t seed, int64_t process, int64_t count);

// Arrivals of "auto", where no other time is asked for.
inline constexpr double kAutomaticArrivalsS = 10;

// How many requests arrive in about so many seconds, and no more than are served in twice as many where one takes
// `service_ns`; at least 20.
int64_t automatic_requests(const LoadFacts& load, double service_ns, double seconds = kAutomaticArrivalsS);

}  // namespace aaco
