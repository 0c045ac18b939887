// SPDX-License-Identifier: MIT
#include "analysis/host/measured_process.h"

#include <map>

namespace aaco {

std::vector<MeasuredProcess> measured_processes(const Recording& recording) {
  std::map<int64_t, std::vector<const IterationRow*>> iterations;
  for (const IterationRow& row : recording.iterations) {
    if (is_span(row.t_start_ns, row.t_end_ns)) {
      iterations[row.process].push_back(&row);
    }
  }
  std::map<int64_t, int64_t> pids;  // how many processes have each
  for (const ProcessFacts& facts : recording.facts.process_facts) {
    ++pids[facts.pid];
  }
  std::vector<MeasuredProcess> processes;
  for (const ProcessFacts& facts : recording.facts.process_facts) {
    const auto own = iterations.find(facts.process);
    if (facts.pid <= 0 || pids[facts.pid] > 1 || own == iterations.end()) {
      continue;
    }
    MeasuredProcess process{facts.process, facts.pid, own->second, {}};
    std::ranges::stable_sort(process.iterations, {}, &IterationRow::t_start_ns);
    int64_t latest_ns = 0;
    for (const IterationRow* row : process.iterations) {
      latest_ns = std::max(latest_ns, row->t_end_ns);
      process.latest_end_ns.push_back(latest_ns);
    }
    processes.push_back(std::move(process));
  }
  return processes;
}

}  // namespace aaco
