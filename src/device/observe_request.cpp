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
  return std::to_string(task.ring_bytes) + ' ' + std::to_string(task.budget_ppm) + ' ' + task.folder;
}

std::optional<ObserveTask> parse_observe_text(std::string_view text) {
  const size_t first = text.find(' ');
  const size_t second = first != std::string_view::npos ? text.find(' ', first + 1) : first;
  if (second == std::string_view::npos || second + 1 == text.size()) {
    return std::nullopt;
  }
  const auto bytes = number_of(text.substr(0, first));
  const auto budget = number_of(text.substr(first + 1, second - first - 1));
  if (!bytes || !budget) {
    return std::nullopt;
  }
  return ObserveTask{std::string(text.substr(second + 1)), *bytes, *budget, false};
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
  return task;
}

}  // namespace aaco
