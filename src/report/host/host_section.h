// SPDX-License-Identifier: MIT
// What the kernel did with the threads of a run: the section of its page, and that of its slow iterations.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/host/off_cpu_stacks.h"
#include "analysis/host/spikes.h"
#include "analysis/timeline/trace_summary.h"
#include "base/json/json_fwd.h"
#include "record/events/event_table.h"
#include "record/recording.h"
#include "report/report_model.h"
#include "session/session_info.h"

namespace aaco::report {

// None where the session has no rows of the kernel and nobody asked for them; "no data" with the reason where they were
// asked for and are missing.
std::optional<Section> host_section(const Recording& recording, bool was_asked_for);
// Of its command line: sessions of earlier versions call the plane unavailable where nobody asked for it.
bool asks_for_kernel_plane(const SessionInfo& info);

// None where no cause could be named: without rows of the kernel and without samples.
std::optional<Section> spikes_section(const Recording& recording, bool has_losses);

// The same of one session that is asked about, with what is missing said. `most`: rows of each table. `has_losses`: the
// session had more than was read, so that nothing is said of what did not come with them.
Section spikes_answer(const Spikes& spikes, size_t most, bool has_losses);
Json spikes_json(const Spikes& spikes, size_t most);

// Which source recorded, where it did not see all, lost some or was not the best.
void add_kernel_source(const std::map<std::string, PlaneState>& planes, Section& section);

// Flame graphs of where threads waited and of who released them, and both folded, for other programs.
void add_off_cpu_graphs(const CollectedRows& rows, const std::vector<int64_t>& pids, Section& section);

// What held the threads that launch while a device was idle for want of a launch; nothing where no such gap is known.
void add_blocked_launches(const EventTable& events, const TraceSummary& summary, const CollectedRows& rows,
                          Section& section);

}  // namespace aaco::report
