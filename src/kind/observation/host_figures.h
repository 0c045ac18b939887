// SPDX-License-Identifier: MIT
// What the host saw of an observed program, as JSON and as the answer's lines.
#pragma once

#include <optional>
#include <string>

#include "base/json/json_fwd.h"
#include "observe/processes/process_tree.h"
#include "report/report_model.h"

namespace aaco {

void to_json(Json& json, const HostUse& use);
void from_json(const Json& json, HostUse& use);

}  // namespace aaco

namespace aaco::report {

struct HostAnswer {
  std::string processors;   // "1.60 of 2 processors busy"
  std::string main_thread;  // "ran 61 % of 2.1 s, was runnable and did not run 38 %, waited 1.0 %"; empty: not known
};
// `busy_s`: processor time of the command within `wall_s`, where its end told; else what the samples say of theirs.
HostAnswer host_answer(const HostUse& use, double wall_s, std::optional<double> busy_s, int64_t pid);
// The threads that ran longest.
TableBlock thread_table(const HostUse& use);
// Rate and cost of the sampling.
std::string sampling_text(const HostUse& use);
// Faults and bytes of all processes together; with the peak memory where the command's end did not tell it.
std::string memory_text(const HostUse& use, bool with_peak);

}  // namespace aaco::report
