// SPDX-License-Identifier: MIT
#include "kind/model_run/load/load_request.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "base/text/number_text.h"
#include "model/seeded_random.h"

namespace aaco {

namespace {

constexpr double kMostRate = 1e6;
constexpr double kMostLimitMs = 1e9;
constexpr double kNsPerS = 1e9;
constexpr double kMsPerS = 1e3;

Result<void> set_limit(const std::string& text, LoadFacts& load) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorKind::kUsage, fmt::format("--goodput {}: {}", text, why),
                 "write ttft:200ms (first token), tpot:20ms (time per output token), e2el:2s (whole request)"};
  };
  const size_t colon = text.find(':');
  if (colon == std::string::npos) {
    return refuse("not NAME:TIME");
  }
  const std::string name = text.substr(0, colon);
  std::optional<double>* const limit = name == "ttft"   ? &load.ttft_ms
                                       : name == "tpot" ? &load.tpot_ms
                                       : name == "e2el" ? &load.e2el_ms
                                                        : nullptr;
  if (limit == nullptr) {
    return refuse(fmt::format("no limit is named '{}'", name));
  }
  std::string number = text.substr(colon + 1);
  double scale = 1;
  if (number.ends_with("ms")) {
    number.resize(number.size() - 2);
  } else if (number.ends_with('s')) {
    number.pop_back();
    scale = kMsPerS;
  }
  const std::optional<double> value = number_of_text<double>(number);
  if (!value || !(*value > 0) || *value * scale > kMostLimitMs) {
    return refuse("not a time above zero, in ms or s");
  }
  if (*limit) {
    return refuse("it is there twice");
  }
  *limit = *value * scale;
  return {};
}

}  // namespace

Result<LoadFacts> parse_load(const std::string& arrivals, const std::vector<std::string>& limits) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorKind::kUsage, fmt::format("--load {}: {}", arrivals, why),
                 "write requests a second: --load 20 (Poisson arrivals) or --load uniform:20"};
  };
  LoadFacts load;
  const size_t colon = arrivals.find(':');
  if (colon != std::string::npos) {
    const std::optional<Arrivals> kind = parse_word<Arrivals>(arrivals.substr(0, colon));
    if (!kind) {
      return refuse("arrivals are poisson or uniform");
    }
    load.arrivals = *kind;
  }
  const std::optional<double> rate =
      number_of_text<double>(colon == std::string::npos ? arrivals : arrivals.substr(colon + 1));
  if (!rate || !(*rate > 0) || *rate > kMostRate) {
    return refuse("not a rate above 0 and up to 1000000 a second");
  }
  load.rate_per_s = *rate;
  for (const std::string& words : limits) {
    for (size_t begin = 0; begin <= words.size();) {
      const size_t end = std::min(words.find(',', begin), words.size());
      AACO_TRY(set_limit(words.substr(begin, end - begin), load));
      begin = end + 1;
    }
  }
  return load;
}

std::vector<int64_t> arrival_times(const LoadFacts& load, uint64_t seed, int64_t process, int64_t count) {
  SeededRandom random(seed, fmt::format("arrivals/{}", process));
  const double period_ns = kNsPerS / load.rate_per_s;
  std::vector<int64_t> times;
  double time_ns = 0;
  for (int64_t i = 0; i < count; ++i) {
    // 53 uniform bits between 0 and 1, neither included; the gaps of a Poisson process are exponential.
    const double uniform = (static_cast<double>(random.next() >> 11) + 0.5) * 0x1p-53;
    time_ns += load.arrivals == Arrivals::kUniform ? (i == 0 ? 0 : period_ns) : -std::log(uniform) * period_ns;
    times.push_back(static_cast<int64_t>(time_ns));
  }
  return times;
}

int64_t automatic_requests(const LoadFacts& load, double service_ns, double seconds) {
  constexpr double kFewest = 20;
  constexpr double kMost = 100'000;  // as of iterations
  const double arriving = load.rate_per_s * seconds;
  const double served = service_ns > 0 ? 2e9 * seconds / service_ns : arriving;
  return static_cast<int64_t>(std::clamp(std::min(arriving, served), kFewest, kMost));
}

}  // namespace aaco
