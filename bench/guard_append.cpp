// SPDX-License-Identifier: MIT
// guard_append FOLDER COUNT: what appending a recording of ten processes to aaco guard's history costs: median and 99th
// percentile, in microseconds.
#include <fmt/format.h>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/statistics.h"
#include "base/text/number_text.h"
#include "guard/store/guard_store.h"
#include "guard/subject/guard_entry.h"

int main(int argc, char** argv) {
  const auto count = argc == 3 ? aaco::number_of_text<int64_t>(argv[2]) : std::nullopt;
  const auto store = count ? aaco::GuardStore::open(argv[1])
                           : aaco::Result<aaco::GuardStore>(aaco::Error{aaco::ErrorKind::kUsage, "", ""});
  const auto value = aaco::parse_given_value("x=1ms,2ms,3ms,4ms,5ms,6ms,7ms,8ms,9ms,10ms", false);
  if (!store || !value) {
    fmt::print(stderr, "guard_append FOLDER COUNT\n");
    return 2;
  }
  std::vector<double> times;
  for (int64_t i = 0; i < *count; ++i) {
    const aaco::GuardEntry entry =
        aaco::value_entry({*value}, nullptr, {.subject = "bench", .commit = "c", .branch = "b"});
    const int64_t start_ns = aaco::monotonic_ns();
    if (const auto appended = store->append(entry); !appended) {
      fmt::print(stderr, "{}\n", appended.error().message);
      return 1;
    }
    times.push_back(static_cast<double>(aaco::monotonic_ns() - start_ns) / 1e3);
  }
  fmt::print("{{\"appends\": {}, \"median_us\": {:.1f}, \"p99_us\": {:.1f}}}\n", *count,
             aaco::quantile(times, 0.5).value_or(0), aaco::quantile(times, 0.99).value_or(0));
  return 0;
}
