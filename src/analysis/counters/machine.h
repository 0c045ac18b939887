// SPDX-License-Identifier: MIT
// What a trace says of the machine that counted: rocprof-compute's sysinfo.csv and roofline.csv, the agents of
// rocprofv3's agent_info.csv, results.json and rocpd; and, of models that are known, what their data sheets say and the
// trace does not.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/counters/quantities.h"
#include "record/events/event_table.h"

namespace aaco {

struct CounterMachine {
  static constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

  CounterArchitecture architecture = CounterArchitecture::kUnknown;
  std::string gfx;                 // as the trace names it
  std::string model;               // likewise
  std::vector<double> quantities;  // by machine_quantities()
  std::vector<std::string> from;   // where each is from; empty where it is not known
};

class CounterMachines {
 public:
  explicit CounterMachines(const EventTable& events);

  // Of a device of a recording; of several agents that differ the one of that number, or none.
  CounterMachine machine(uint32_t recording, int64_t device) const;

 private:
  struct Source {
    CounterMachine machine;
    int64_t device = kNoId;
  };

  void add_sysinfo(const EventTable& events, size_t event);
  void add_workload(const EventTable& events, size_t event);
  void add_agent(const EventTable& events, size_t event);
  void add_described_agent(uint32_t recording, std::string_view json);
  void add_roof(const EventTable& events, size_t event);

  std::map<uint32_t, CounterMachine> sysinfo_;        // by recording
  std::map<uint32_t, std::vector<Source>> agents_;    // GPUs
  std::map<uint32_t, std::vector<double>> measured_;  // the most of any device of the file
};

}  // namespace aaco
