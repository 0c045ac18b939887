// SPDX-License-Identifier: MIT
#include "workload/sharded/communication/registered_collectives.h"

#include <algorithm>
#include <set>
#include <utility>

namespace aaco {

namespace {

// What holds `data`; null: no memory of the training's.
const Buffer* buffer_of(const ShardedTraining& training, const void* data) {
  const auto& memory = training.instance->memory;
  const auto registered = std::find_if(memory.begin(), memory.end(), [&](const auto& buffer) {
    const auto* const begin = static_cast<const char*>(buffer->data());
    return data >= begin && data < begin + buffer->bytes();
  });
  return registered == memory.end() ? nullptr : registered->get();
}

}  // namespace

Result<std::vector<std::unique_ptr<RegisteredMemory>>> register_collectives(
    const ShardedTraining& training, std::span<Communicator* const> communicators) {
  std::vector<std::unique_ptr<RegisteredMemory>> registered;
  std::set<std::pair<int32_t, const Buffer*>> seen;
  for (const CollectiveCommand& command : training.instance->iteration.collectives()) {
    for (const void* data : {command.ranks.front().send, static_cast<const void*>(command.ranks.front().receive)}) {
      const Buffer* const buffer = buffer_of(training, data);
      if (buffer != nullptr && seen.emplace(command.communicator, buffer).second) {
        AACO_ASSIGN(registered.emplace_back(),
                    communicators[static_cast<size_t>(command.communicator)]->add_memory(*buffer));
      }
    }
  }
  return registered;
}

}  // namespace aaco
