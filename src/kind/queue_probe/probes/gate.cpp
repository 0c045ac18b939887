// SPDX-License-Identifier: MIT
#include "kind/queue_probe/probes/gate.h"

#include <atomic>

namespace aaco {

Result<std::unique_ptr<Gate>> Gate::make(Device& device, int64_t timeout_ns) {
  std::unique_ptr<Gate> gate(new Gate(device, timeout_ns));
  AACO_ASSIGN(gate->flags_, device.allocate(2 * sizeof(uint32_t), MemoryKind::kPinnedHost));
  AACO_ASSIGN(gate->stream_, device.make_stream(device.properties().lowest_priority));
  AACO_ASSIGN(gate->opened_, device.make_event(false));
  gate->flag()[0] = 1;
  gate->flag()[1] = 0;
  return gate;
}

Gate::~Gate() {
  if (flags_ != nullptr) {
    open();
    static_cast<void>(device_.synchronize());  // an error belongs to whoever used the streams
  }
}

void Gate::close(std::span<const std::unique_ptr<Stream>> streams) {
  flag()[1] = 0;
  std::atomic_ref(flag()[0]).store(0, std::memory_order_release);
  stream_->launch(GateArgs{flag(), flag() + 1, 1, timeout_ns_});
  stream_->record(*opened_);
  for (const std::unique_ptr<Stream>& stream : streams) {
    stream->wait(*opened_);
  }
}

void Gate::open() { std::atomic_ref(flag()[0]).store(1, std::memory_order_release); }

bool Gate::timed_out() const { return flag()[1] != 0; }

Result<std::vector<std::unique_ptr<Stream>>> make_streams(Device& device, int32_t count, int priority) {
  std::vector<std::unique_ptr<Stream>> streams;
  for (int32_t i = 0; i < count; ++i) {
    AACO_ASSIGN(std::unique_ptr<Stream> stream, device.make_stream(priority));
    streams.push_back(std::move(stream));
  }
  return streams;
}

}  // namespace aaco
