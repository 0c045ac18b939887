// SPDX-License-Identifier: MIT
// A TracePacket message as it lies in the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace aaco::perfetto {

struct Packet {
  std::optional<uint64_t> timestamp;
  std::optional<uint64_t> clock;
  uint64_t sequence = 0;
  bool cleared = false;  // the sequence's state begins anew with it
  bool needs_state = false;
  bool after_loss = false;
  std::optional<std::string_view> interned;
  std::optional<std::string_view> defaults;
  std::optional<std::string_view> clock_snapshot;
  std::optional<std::string_view> track_descriptor;
  std::optional<std::string_view> track_event;
  std::optional<std::string_view> compressed;
  uint64_t unread = 0;  // number of the first field that has no place above; 0: none

  // False where it is no such message.
  bool parse(std::string_view message);
};

}  // namespace aaco::perfetto
