// SPDX-License-Identifier: MIT
// Tracks of a Perfetto trace: processes, their rows, and what else gets a row of its own there.
#pragma once

#include <cstdint>
#include <string>

#include "export/layout.h"
#include "export/perfetto/packets.h"
#include "record/events/event_table.h"

namespace aaco::perfetto {

class Tracks {
 public:
  Tracks(const EventTable& events, const Layout& layout, Packets& packets);

  // All processes and rows.
  void describe();

  uint64_t process(uint32_t process) const { return 1 + process; }
  uint64_t row(uint32_t row) const { return 1 + layout_.processes.size() + row; }
  // Described at once; `parent` is a track, or 0.
  uint64_t add(uint64_t parent, const std::string& name);
  uint64_t add_counter(uint64_t parent, const std::string& name, std::string_view unit);

 private:
  void describe_process(uint32_t process);
  void describe_row(uint32_t row);
  uint64_t pid_of(const ShownProcess& process) const;

  const EventTable& events_;
  const Layout& layout_;
  Packets& packets_;
  uint64_t next_;
};

}  // namespace aaco::perfetto
