// SPDX-License-Identifier: MIT
#include "device/observe_request.h"

#include <charconv>
#include <cstdlib>

#include "device/observe_variables.h"

namespace aaco {

namespace {

std::optional<uint64_t> number_of(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

// The folder last: its name may hold anything.
std::string observe_text(const ObserveTask& task) {
  return std::to_string(task.ring_bytes) + ' ' + std::to_string(task.budget_ppm) + ' ' +
         (task.whole_graphs ? kWholeGraphs : kGraphNodes) + ' ' + task.folder;
}

std::optional<ObserveTask> parse_observe_text(std::string_view text) {
  const auto next_word = [&text]() -> std::string_view {
    const size_t end = text.find(' ');
    if (end == std::string_view::npos) {
      return {};
    }
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end + 1);
    return word;
  };
  const auto bytes = number_of(next_word());
  const auto budget = number_of(next_word());
  const std::string_view graphs = next_word();
  if (!bytes || !budget || (graphs != kWholeGraphs && graphs != kGraphNodes) || text.empty()) {
    return std::nullopt;
  }
  return ObserveTask{std::string(text), *bytes, *budget, false, graphs == kWholeGraphs};
}

std::optional<ObserveTask> observe_task_of_environment() {
  ObserveTask task;
  task.from_environment = true;
  task.folder = variable(observe_variable::kFolder);
  if (task.folder.empty()) {
    return std::nullopt;
  }
  task.ring_bytes = number_of(variable(observe_variable::kRingBytes)).value_or(ObserveTask::kDefaultRingBytes);
  task.budget_ppm = number_of(variable(observe_variable::kBudget)).value_or(0);
  task.whole_graphs = variable(observe_variable::kGraphs) == kWholeGraphs;
  return task;
}

}  // namespace aaco
