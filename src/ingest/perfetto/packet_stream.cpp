// SPDX-License-Identifier: MIT
#include "ingest/perfetto/packet_stream.h"

#include <fmt/format.h>
#include <utility>

#include "ingest/perfetto/wire.h"

namespace aaco::perfetto {

PacketStream::PacketStream(ByteSource& source, std::string name, LossTable& losses, size_t window_bytes)
    : window_(source, window_bytes), name_(std::move(name)), losses_(losses), at_(window_.begin()) {}

// The field at at_, as a whole: a packet is field 1.
PacketStream::Scan PacketStream::scan(std::string_view& bytes, uint64_t& number) {
  const char* p = at_;
  uint64_t tag = 0;
  uint64_t length = 0;
  for (uint64_t* value : {&tag, &length}) {
    const Varint read = read_varint(p, window_.end(), *value);
    if (read != Varint::kRead) {
      return read == Varint::kCut ? Scan::kNeedsMore : Scan::kBroken;
    }
    if ((tag & 7) != static_cast<uint64_t>(WireType::kBytes)) {
      return Scan::kBroken;
    }
  }
  number = tag >> 3;
  if (length > kLongestPacket || number == 0) {
    return Scan::kBroken;
  }
  if (length > static_cast<uint64_t>(window_.end() - p)) {
    return Scan::kNeedsMore;
  }
  packet_offset_ = window_.offset_of(at_);
  bytes = {p, static_cast<size_t>(length)};
  at_ = p + length;
  return number == 1 ? Scan::kPacket : Scan::kOther;
}

bool PacketStream::next(std::string_view& packet) {
  while (!ended_) {
    uint64_t number = 0;
    const Scan packet_scan = scan(packet, number);
    if (packet_scan == Scan::kPacket) {
      return true;
    }
    if (packet_scan == Scan::kOther) {
      losses_.add(Loss::kUnknownRecord,
                  [&] { return fmt::format("{}: field {} of the trace at byte {}", name_, number, packet_offset_); });
      continue;
    }
    if (packet_scan == Scan::kBroken) {
      broken_off("no packet");
      continue;
    }
    const bool more = window_.refill(at_);
    at_ = window_.begin();
    if (!more) {
      ended_ = true;
      if (at_ != window_.end() || window_.error()) {
        broken_off("the file ends within a packet");
      }
    }
  }
  return false;
}

void PacketStream::broken_off(const char* why) {
  ended_ = true;
  losses_.add(Loss::kTruncated, [&] {
    return window_.error() ? window_.error()->message
                           : fmt::format("{}: {} at byte {}", name_, why, window_.offset_of(at_));
  });
}

Error PacketStream::refused() const {
  return window_.error() ? *window_.error()
                         : Error{ErrorKind::kUsage,
                                 fmt::format("{}: holds no packet of a trace (byte {})", name_, window_.offset_of(at_)),
                                 "name a Perfetto trace as rocprofv3 --output-format pftrace writes it"};
}

}  // namespace aaco::perfetto
