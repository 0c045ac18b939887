// SPDX-License-Identifier: MIT
#include <vector>

#include "cli/baseline_command.h"
#include "cli/command/command.h"
#include "cli/completion_command.h"
#include "cli/devices_command.h"
#include "cli/diff_command.h"
#include "cli/doctor_command.h"
#include "cli/llama_command.h"
#include "cli/overlap_command.h"
#include "cli/queue_command.h"
#include "cli/report_command.h"
#include "cli/run_command.h"
#include "cli/sessions_command.h"
#include "cli/sweep_command.h"
#include "cli/trace/trace_command.h"
#include "cli/worker_command.h"

namespace aaco {

namespace {
const std::vector<AddCommand> kCommands{
    add_run_command,      add_sweep_command,  add_report_command,     add_diff_command,    add_baseline_command,
    add_sessions_command, add_queue_command,  add_llama_command,      add_overlap_command, add_trace_command,
    add_devices_command,  add_doctor_command, add_completion_command, add_worker_command};
}

std::span<const AddCommand> all_commands() { return kCommands; }

}  // namespace aaco
