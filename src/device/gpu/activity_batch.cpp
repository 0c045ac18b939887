// SPDX-License-Identifier: MIT
#include "device/gpu/activity_batch.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace aaco::gpu {

// Times of 0 are the vendors' for work whose times they could not get.
void ActivityBatch::add(const ActivityRecord& record) {
  if (record.start_ns == 0 || record.end_ns == 0) {
    drop(1);
    return;
  }
  records_.push_back(record);
}

void ActivityBatch::drop(uint64_t count) {
  if (count > 0) {
    sink_.dropped(sink_.self, count);
  }
}

void ActivityBatch::hand_over() {
  if (!records_.empty()) {
    sink_.push(sink_.self, records_.data(), records_.size());
    records_.clear();
  }
}

uint32_t ActivityBatch::intern(const char* mangled) {
  const char* written = mangled != nullptr ? mangled : "unnamed";
  auto& known = places_[written];
  if (known != nullptr && known->first == written) {  // a module may have gone, and another name be in its place
    return known->second;
  }
  const auto [place, is_new] = names_.try_emplace(written, 0);
  if (is_new) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(written, nullptr, nullptr, &status),
                                                            &std::free);
    const std::string name = status == 0 && plain ? plain.get() : written;
    place->second = sink_.intern(sink_.self, name.data(), name.size());
  }
  known = &*place;
  return place->second;
}

}  // namespace aaco::gpu
