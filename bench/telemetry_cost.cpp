// SPDX-License-Identifier: MIT
// telemetry_cost [SECONDS]: what the host's telemetry costs. How long a sample takes, what share of a processor the
// sampling thread uses at its default rate and at 1 kHz, and how often each figure changes when it is read at 1 kHz
// beside a busy thread, which is as often as its source refreshes at most. Prints JSON.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/statistics.h"
#include "observe/telemetry/collector.h"
#include "observe/telemetry/sampler.h"
#include "record/rows.h"

namespace aaco {
namespace {

constexpr int kSamples = 20'000;

struct Asked {
  std::atomic<int64_t> pid{::getpid()};
  std::vector<SystemRow> rows;

  Result<std::shared_ptr<Collector>> collector() {
    CollectorOptions options;
    options.measured_pid = &pid;
    options.sinks.set<SystemRow>(
        [this](std::span<const SystemRow> some) { rows.insert(rows.end(), some.begin(), some.end()); });
    AACO_ASSIGN(std::unique_ptr<Collector> made, find_collector("host")->make(std::move(options)));
    return std::shared_ptr<Collector>(std::move(made));
  }
};

Result<Json> sample_times() {
  Asked asked;
  AACO_ASSIGN(const std::shared_ptr<Collector> collector, asked.collector());
  std::vector<double> times;
  for (int i = 0; i < kSamples; ++i) {
    const int64_t start = monotonic_ns();
    collector->sample();
    times.push_back(static_cast<double>(monotonic_ns() - start));
  }
  return Json{{"samples", kSamples},
              {"p50_ns", *median(times)},
              {"p99_ns", *quantile(times, 0.99)},
              {"max_ns", *quantile(times, 1)}};
}

Result<Json> share_at(double hz, double seconds) {
  Asked asked;
  AACO_ASSIGN(std::shared_ptr<Collector> collector, asked.collector());
  AACO_ASSIGN(const auto sampler, Sampler::start(std::move(collector), static_cast<int64_t>(1e9 / hz)));
  const int64_t start = monotonic_ns();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const SamplerCost cost = sampler->stop();
  const auto elapsed_ns = static_cast<double>(monotonic_ns() - start);
  return Json{{"hz", hz},
              {"seconds", seconds},
              {"samples", cost.samples},
              {"missed_periods", cost.missed_periods},
              {"processor_share", static_cast<double>(cost.cpu_time_ns) / elapsed_ns},
              {"sample_p50_ns", cost.median_ns.value_or(0)}};
}

// How often a second a column had another value than in the row before.
Result<Json> changes(double seconds) {
  Asked asked;
  AACO_ASSIGN(std::shared_ptr<Collector> collector, asked.collector());
  std::atomic<bool> stop = false;
  std::thread busy([&stop] {
    while (!stop) {
    }
  });
  {
    const auto sampler = Sampler::start(std::move(collector), 1'000'000);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
  stop = true;
  busy.join();
  Json json = Json::object();
  if (asked.rows.size() < 2) {
    return json;
  }
  const double span_s = static_cast<double>(asked.rows.back().t_ns - asked.rows.front().t_ns) / 1e9;
  const auto count = [&](const auto& column) {
    int64_t changed = 0;
    for (size_t i = 1; i < asked.rows.size(); ++i) {
      changed += asked.rows[i].*column.member != asked.rows[i - 1].*column.member ? 1 : 0;
    }
    json[column.name] = static_cast<double>(changed) / span_s;
  };
  std::apply([&](const auto&... column) { (count(column), ...); }, RowSchema<SystemRow>::columns());
  return json;
}

Result<Json> measure(double seconds) {
  AACO_ASSIGN(const Json times, sample_times());
  AACO_ASSIGN(const Json at_default, share_at(1e9 / static_cast<double>(kDefaultSamplePeriodNs), seconds));
  AACO_ASSIGN(const Json at_most, share_at(1'000, seconds / 4));
  AACO_ASSIGN(const Json refresh, changes(seconds / 4));
  return Json{{"host_sample", times},
              {"default_rate", at_default},
              {"highest_rate", at_most},
              {"changes_a_second_at_1_khz", refresh}};
}

}  // namespace
}  // namespace aaco

int main(int argc, char** argv) {
  const aaco::Result<aaco::Json> result = aaco::measure(argc > 1 ? std::stod(argv[1]) : 30);
  if (!result) {
    fmt::print(stderr, "{}\n", result.error().message);
    return 1;
  }
  std::puts(result->dump(1).c_str());
  return 0;
}
