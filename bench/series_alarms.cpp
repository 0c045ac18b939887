// SPDX-License-Identifier: MIT
// series_alarms [SERIES] > bench/results/series-alarms.json: in how many of SERIES (400) simulated series without a
// change find_change_points() names one, by the constant of its threshold (SeriesOptions::evidence_base). It says why
// the constant is not lower: noise that is correlated, in modes or on a slope alarms first.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <numbers>
#include <random>
#include <vector>

#include "verdict/series/change_points.h"

namespace {

constexpr double kBases[] = {8, 6, 4, 2, 0};
constexpr size_t kBuilds[] = {20, 50, 100, 400};

// Reproducible on all libraries, which std::normal_distribution is not.
class Noise {
 public:
  double uniform() { return (static_cast<double>(bits_() >> 11U) + 0.5) * 0x1p-53; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }

 private:
  std::mt19937_64 bits_{1};
};

struct Kind {
  const char* name;
  double (*next)(Noise& noise, double& state, double share);  // share: of the series that lies before
};

constexpr Kind kKinds[] = {
    {"normal", [](Noise& noise, double&, double) { return noise.normal(); }},
    {"log-normal", [](Noise& noise, double&, double) { return std::exp(noise.normal()); }},
    {"correlated, 0.3", [](Noise& noise, double& state, double) { return state = 0.3 * state + noise.normal(); }},
    {"correlated, 0.6", [](Noise& noise, double& state, double) { return state = 0.6 * state + noise.normal(); }},
    {"two modes, 30 %",
     [](Noise& noise, double&, double) { return (noise.uniform() < 0.3 ? 10 : 0) + noise.normal(); }},
    {"a mode that stays 3 builds",
     [](Noise& noise, double& state, double) {
       state = noise.uniform() < 0.3 ? 5 - state : state;
       return state + noise.normal();
     }},
    {"slope", [](Noise& noise, double&, double share) { return 10 * share + noise.normal(); }},
};

bool alarms(const std::vector<double>& values, double base) {
  aaco::SeriesOptions options;
  options.evidence_base = base;
  options.min_change = 0;
  return !aaco::find_change_points(values, options).empty();
}

}  // namespace

int main(int count, char** words) {
  const int series = count > 1 ? std::atoi(words[1]) : 400;
  Noise noise;
  const char* separator = "[\n";
  for (const Kind& kind : kKinds) {
    for (const size_t builds : kBuilds) {
      int alarmed[std::size(kBases)] = {};
      for (int i = 0; i < series; ++i) {
        std::vector<double> values;
        double state = 0;
        for (size_t build = 0; build < builds; ++build) {
          values.push_back(1000 + kind.next(noise, state, static_cast<double>(build) / static_cast<double>(builds)));
        }
        for (size_t base = 0; base < std::size(kBases); ++base) {
          alarmed[base] += alarms(values, kBases[base]) ? 1 : 0;
        }
      }
      std::printf(R"(%s {"kind": "%s", "builds": %zu, "series": %d, "alarms_by_base": {)", separator, kind.name, builds,
                  series);
      for (size_t base = 0; base < std::size(kBases); ++base) {
        std::printf(R"(%s"%g": %d)", base == 0 ? "" : ", ", kBases[base], alarmed[base]);
      }
      std::printf("}}");
      separator = ",\n";
    }
  }
  std::printf("\n]\n");
  return 0;
}
