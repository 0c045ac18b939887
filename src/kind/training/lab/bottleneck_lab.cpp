// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kind/training/lab/lab_list.h"
#include "kind/training/lab/lab_steps.h"

namespace aaco {

namespace {

constexpr double kTooClose = 0.9;  // of the largest: nobody could tell them apart from one run

std::string milliseconds_of(const TrainingRunDocument& run, const char* phase, const std::string& part) {
  const PartFigure* figure = find_part(run, phase, part);
  return figure != nullptr && figure->alone_ns ? fmt::format("{:.3f}", *figure->alone_ns / 1e6) : "-";
}

Result<LabMeasurement> measure(const LabRequest& request, const ProgressCallback& progress) {
  LabMeasurement found;
  AACO_ASSIGN(const TrainingRunDocument run, train(version_of(request, 1), found, progress));
  const std::map<std::string, double> times = milliseconds_by_part(run);
  if (times.empty()) {
    return Error{ErrorKind::kUnavailable, run.bundle + ": no part was timed", "let the run go to its end"};
  }
  found.table = {{"part", "forward ms", "backward ms", "optimizer ms"}};
  double sum = 0;
  for (const auto& [part, ms] : times) {
    found.choices.push_back(part);
    found.table.push_back({part, milliseconds_of(run, "forward", part), milliseconds_of(run, "backward", part),
                           milliseconds_of(run, "optimizer", part)});
    sum += ms;
  }
  const auto largest = std::ranges::max_element(times, {}, [](const auto& time) { return time.second; });
  found.words = {largest->first};
  for (const auto& [part, ms] : times) {
    if (part != largest->first && ms > kTooClose * largest->second) {
      found.words.push_back(part);
    }
  }
  found.way =
      fmt::format("Summed over the phases, {} takes {:.3f} ms of {:.3f} ms.{}", largest->first, largest->second, sum,
                  found.words.size() > 1
                      ? " Within a tenth of it, and so right too: " + fmt::format("{}.", fmt::join(found.words, ", "))
                      : "");
  const auto products = times.find("products");
  found.meaning = fmt::format(
      "If {} took no time at all, a step would be {:.2f} times as fast (Amdahl): no work on it can buy more. Products "
      "are {:.0f} % of the parts' time; fusing what lies between them leaves that.",
      largest->first, sum / (sum - largest->second), products == times.end() ? 0 : 100 * products->second / sum);
  return found;
}

}  // namespace

Lab lab_bottleneck() {
  return {.title = "Bottlenecks: which part takes the time",
          .session = 1,
          .minutes = 10,
          .learn = "Find the part that bounds a step before changing anything, and what its removal could buy at most.",
          .question = "Which part takes most of a step's time, its phases together?",
          .unit = "",
          .hint = "add each row's three columns",
          .not_told = "how parts overlap: each was timed alone, and their sum is not the step's time",
          .next =
              "aaco llama run --version 1 --preset nano --device cpu:0 --seq-len 128\n"
              "aaco llama run --version 2 --preset nano --device cpu:0",
          .on_amd = "rocprofv3 --kernel-trace --stats -- aaco llama run --version 1 --device hip:0",
          .measure = measure};
}

}  // namespace aaco
