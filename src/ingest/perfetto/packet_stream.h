// SPDX-License-Identifier: MIT
// A Perfetto trace as a series of packets, through a sliding window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/bytes/window.h"
#include "record/events/loss_table.h"

namespace aaco::perfetto {

class PacketStream {
 public:
  static constexpr uint64_t kLongestPacket = uint64_t{1} << 26;  // what Perfetto itself takes, too

  // `name`: the file's, in losses, which go to `losses`. Both outlive the stream, `source` too.
  PacketStream(ByteSource& source, std::string name, LossTable& losses, size_t window_bytes);

  // The next packet, which holds until the next call. False at the end; a truncated tail is a loss.
  bool next(std::string_view& packet);

  uint64_t offset() const { return packet_offset_; }  // of the packet
  Error refused() const;                              // where there was no packet

 private:
  enum class Scan : uint8_t { kPacket, kOther, kNeedsMore, kBroken };

  Scan scan(std::string_view& bytes, uint64_t& number);
  void broken_off(const char* why);

  Window window_;
  std::string name_;
  LossTable& losses_;
  const char* at_;
  uint64_t packet_offset_ = 0;
  bool ended_ = false;
};

}  // namespace aaco::perfetto
