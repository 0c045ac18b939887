// SPDX-License-Identifier: MIT
#include "report/trace/kernel_section.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "report/trace/row_sinks.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

TableBlock kernel_table(const EventTable& events, const DeviceSummary& device, size_t most) {
  TableBlock table{.id = "kernels",
                   .columns = {{"kernel, copy or set", false, "name", kLongestName},
                               {.key = "class"},
                               {"count", true, "count"},
                               {"total", true, "total_ns"},
                               {"of sum", true},
                               {.numeric = true, .key = "min_ns"},
                               {"median", true, "median_ns"},
                               {"max", true, "max_ns"}},
                   .most = most};
  int64_t all_ns = 0;
  for (const KernelStatistics& kernel : device.kernels) {
    all_ns += kernel.total_ns;
  }
  int64_t left_ns = all_ns;
  for (const KernelStatistics& kernel : device.kernels) {
    left_ns -= table.rows.size() < most ? kernel.total_ns : 0;
    table.rows.push_back({text_cell(std::string(events.strings[kernel.name])), text_cell(work_class_name(kernel.work)),
                          amount_cell(kernel.count), time_cell(kernel.total_ns), share_cell(kernel.total_ns, all_ns),
                          time_cell(kernel.min_ns), time_cell(kernel.median_ns), time_cell(kernel.max_ns)});
  }
  const size_t others = device.kernels.size() - std::min(most, device.kernels.size());
  table.others = {text_cell(counted(others, "other", "others")),
                  {},
                  {},
                  time_cell(left_ns),
                  share_cell(left_ns, all_ns),
                  {},
                  {},
                  {}};
  return table;
}

}  // namespace aaco::report
