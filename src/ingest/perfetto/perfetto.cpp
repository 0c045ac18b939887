// SPDX-License-Identifier: MIT
#include "ingest/perfetto/perfetto.h"

#include <algorithm>

#include "ingest/perfetto/event_reader.h"
#include "ingest/perfetto/packet_stream.h"
#include "ingest/perfetto/wire.h"

namespace aaco {

// The first packet is one by its fields: a text, or a message of another kind, has not these numbers with these types.
bool is_perfetto(std::string_view head) {
  using perfetto::Varint;
  using perfetto::WireField;
  using perfetto::WireType;
  if (head.empty() || head.front() != '\x0A') {
    return false;
  }
  const char* p = head.data() + 1;
  uint64_t length = 0;
  if (perfetto::read_varint(p, head.data() + head.size(), length) != Varint::kRead || length == 0 ||
      length > perfetto::PacketStream::kLongestPacket) {
    return false;
  }
  const auto left = static_cast<size_t>(head.data() + head.size() - p);
  perfetto::WireReader fields({p, std::min<size_t>(length, left)});
  constexpr uint64_t kNumbers[] = {3, 8, 10, 13, 41, 42, 58, 79, 87};
  constexpr uint64_t kMessages[] = {1, 2, 6, 11, 12, 33, 35, 36, 43, 44, 45, 50, 59, 60, 69, 89};
  const auto is_one_of = [](const auto& numbers, uint64_t number) {
    return std::find(std::begin(numbers), std::end(numbers), number) != std::end(numbers);
  };
  bool known = false;
  WireField field;
  for (bool more = true; more;) {
    more = fields.next(field);  // where it fails, the field may be the one that the head cuts
    const bool number = is_one_of(kNumbers, field.number);
    const bool message = is_one_of(kMessages, field.number);
    if ((number && field.type != WireType::kVarint) || (message && field.type != WireType::kBytes) ||
        field.number >= 2000) {
      return false;
    }
    known = known || number || message;
  }
  return known && (!fields.malformed() || length > left);
}

namespace {

// Has what every writer of a trace puts into its packets: a time, its own number or its user's; or packets within. The
// outer message of other files (XLA's .xplane.pb) looks alike.
bool is_packet(std::string_view message) {
  constexpr uint64_t kUser = 3;
  constexpr uint64_t kTimestamp = 8;
  constexpr uint64_t kSequence = 10;
  constexpr uint64_t kCompressed = 50;
  perfetto::WireReader fields(message);
  for (perfetto::WireField field; fields.next(field);) {
    const bool number = field.number == kUser || field.number == kTimestamp || field.number == kSequence;
    if ((number && field.type == perfetto::WireType::kVarint) ||
        (field.number == kCompressed && field.type == perfetto::WireType::kBytes)) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<void> read_perfetto(const TraceInput& input, EventTable& into, size_t window_bytes) {
  perfetto::PacketStream stream(input.bytes, input.name, into.losses, window_bytes);
  perfetto::EventReader reader(input, into);
  bool has_packet = false;
  for (std::string_view packet; stream.next(packet);) {
    has_packet = has_packet || is_packet(packet);
    reader.take(packet, stream.offset());
  }
  if (!has_packet) {
    return stream.refused();
  }
  reader.finish();
  return {};
}

}  // namespace aaco
