// SPDX-License-Identifier: MIT
#include "races.h"

#include <algorithm>

namespace aaco::amd {
namespace {

void raise_to(std::vector<std::uint32_t>& moments, const std::vector<std::uint32_t>& others) {
  moments.resize(std::max(moments.size(), others.size()));
  for (std::size_t i = 0; i < others.size(); ++i) {
    moments[i] = std::max(moments[i], others[i]);
  }
}

}  // namespace

bool WaveClock::knows(std::uint32_t wave, std::uint32_t moment) const {
  if (wave >= first && wave - first < group.size()) {
    return group[wave - first] >= moment;
  }
  const auto after = foreign.upper_bound(wave);
  if (after == foreign.begin()) {
    return false;
  }
  const auto& [other, moments] = *std::prev(after);
  return wave - other < moments.size() && moments[wave - other] >= moment;
}

void WaveClock::join(std::uint32_t first_of_other, const std::vector<std::uint32_t>& moments) {
  raise_to(first_of_other == first ? group : foreign[first_of_other], moments);
}

void meet(std::vector<WaveClock*>& waves) {
  WaveClock all;
  for (const WaveClock* wave : waves) {
    raise_to(all.group, wave->group);
    for (const auto& [first, moments] : wave->foreign) {
      raise_to(all.foreign[first], moments);
    }
  }
  for (WaveClock* wave : waves) {
    wave->group = all.group;
    wave->foreign = all.foreign;
    wave->advance();
  }
}

std::optional<std::uint32_t> check_access(ByteRecord& record, const WaveClock& clock, Access access) {
  const std::uint32_t self = clock.self + 1;
  std::optional<std::uint32_t> other;
  const bool both_atomic = record.atomic && access != Access::kWrite;
  if (record.writer != 0 && record.writer != self && !both_atomic && !clock.knows(record.writer - 1, record.written)) {
    other = record.writer - 1;
  }
  if (access == Access::kRead) {
    const bool concurrent = record.reader != 0 && record.reader != self && !clock.knows(record.reader - 1, record.read);
    record.many_readers = concurrent || (record.many_readers && record.reader == self && record.read == clock.now());
    record.reader = self;
    record.read = clock.now();
    return other;
  }
  if (access == Access::kWrite && record.reader != 0) {
    const bool unordered = record.reader == self ? record.many_readers && record.read == clock.now()
                                                 : !clock.knows(record.reader - 1, record.read);
    if (unordered) {
      other = record.reader - 1;
    }
  }
  record.writer = self;
  record.written = clock.now();
  record.atomic = access == Access::kAtomic;
  if (access == Access::kWrite) {
    record.reader = 0;
    record.many_readers = false;
  }
  return other;
}

std::optional<std::uint32_t> LdsRaces::access(const WaveClock& clock, std::uint64_t offset, std::size_t bytes,
                                              Access access) {
  std::optional<std::uint32_t> other;
  for (std::size_t i = 0; i < bytes; ++i) {
    const auto found = check_access(records_[offset + i], clock, access);
    other = other ? other : found;
  }
  return other;
}

std::optional<std::uint32_t> GlobalRaces::access(const WaveClock& clock, std::uint64_t address, std::size_t bytes,
                                                 Access access) {
  std::optional<std::uint32_t> other;
  for (std::uint64_t at = address; at < address + bytes; ++at) {
    if (at / kPage != last_number_) {
      last_number_ = at / kPage;
      auto& page = pages_[last_number_];
      if (!page) {
        page = std::make_unique<Page>();
      }
      last_ = page.get();
    }
    const auto found = check_access((*last_)[at % kPage], clock, access);
    other = other ? other : found;
  }
  return other;
}

void AtomicOrder::release(const WaveClock& clock, std::uint64_t place) {
  auto& passed = places_[place];
  raise_to(passed[clock.first], clock.group);
  for (const auto& [first, moments] : clock.foreign) {
    raise_to(passed[first], moments);
  }
}

void AtomicOrder::acquire(WaveClock& clock, std::uint64_t place) const {
  const auto found = places_.find(place);
  if (found == places_.end()) {
    return;
  }
  for (const auto& [first, moments] : found->second) {
    clock.join(first, moments);
  }
}

}  // namespace aaco::amd
