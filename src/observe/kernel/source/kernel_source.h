// SPDX-License-Identifier: MIT
// A way to learn what the kernel did with the threads of observed processes. The kernel plane takes the best that this
// machine allows.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "observe/telemetry/plane.h"
#include "record/host/host_event_row.h"
#include "record/host/off_cpu_row.h"
#include "record/host/stack_row.h"
#include "record/row_sinks.h"

namespace aaco {

// Takes rows to the sinks, and keeps account of their columns. One thread.
class KernelRows {
 public:
  explicit KernelRows(RowSinks sinks) : sinks_(std::move(sinks)) {}

  void take(const OffCpuRow& row) {
    if (row.reason == OffCpuReason::kPreempted) {
      ++involuntary_switches_;
    } else if (row.cpu_before) {  // else a new thread, which left none
      ++voluntary_switches_;
    }
    push(row, spans_);
  }
  void take(const HostEventRow& row) {
    page_faults_ += row.kind == HostEventKind::kPageFault ? 1 : 0;
    migrations_ += row.kind == HostEventKind::kMigration ? 1 : 0;
    push(row, events_);
  }
  void take(const StackRow& row) { push(row, stacks_); }

  // Under the names that each source uses for them; those that are 0 are not there.
  std::map<std::string, int64_t> counts() const {
    std::map<std::string, int64_t> counts{{"involuntary_switches", involuntary_switches_},
                                          {"voluntary_switches", voluntary_switches_},
                                          {"page_faults", page_faults_},
                                          {"migrations", migrations_}};
    std::erase_if(counts, [](const auto& count) { return count.second == 0; });
    return counts;
  }

  std::vector<PlaneColumn> columns() const {
    std::vector<PlaneColumn> columns = spans_.columns();
    for (const std::vector<PlaneColumn>& more : {events_.columns(), stacks_.columns()}) {
      columns.insert(columns.end(), more.begin(), more.end());
    }
    return columns;
  }

 private:
  template <class Row>
  void push(const Row& row, PlaneAccount<Row>& account) {
    account.take(row);
    sinks_.push(row);
  }

  RowSinks sinks_;
  PlaneAccount<OffCpuRow> spans_;
  PlaneAccount<HostEventRow> events_;
  PlaneAccount<StackRow> stacks_;
  // Plain numbers: a row comes at each switch.
  int64_t involuntary_switches_ = 0;
  int64_t voluntary_switches_ = 0;
  int64_t page_faults_ = 0;
  int64_t migrations_ = 0;
};

class KernelSource {
 public:
  virtual ~KernelSource() = default;
  // From now on, with what it starts. Harmless for one that is observed, or has ended. Children of aaco itself, and
  // what those start, are observed without being named.
  virtual void observe(int64_t pid) = 0;
  // Takes what there is since the last call.
  virtual void drain(KernelRows& rows) = 0;
  // After the last drain(): what is only known at the end.
  virtual void end(KernelRows& rows) = 0;
  virtual PlaneSource facts() const = 0;
};

}  // namespace aaco
