// SPDX-License-Identifier: MIT
// What aaco asks of the library in a foreign program: by the environment of a program that it starts, by a text where
// the program runs already.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aaco {

struct ObserveTask {
  static constexpr uint64_t kDefaultRingBytes = uint64_t{16} << 20;

  std::string folder;  // that each process makes its ring in
  uint64_t ring_bytes = kDefaultRingBytes;
  uint64_t budget_ppm = 0;        // of the time, that the collector may take; 0: as much as it does
  bool from_environment = false;  // it came so
  bool whole_graphs = false;      // a record for each replay of a graph, none for what runs within it

  friend bool operator==(const ObserveTask&, const ObserveTask&) = default;
};

std::string observe_text(const ObserveTask& task);
// Nothing for what is no such text, or names no folder.
std::optional<ObserveTask> parse_observe_text(std::string_view text);
// Nothing where the environment names no folder.
std::optional<ObserveTask> observe_task_of_environment();

}  // namespace aaco
