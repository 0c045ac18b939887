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

// What others may learn of its workgroup from a wave.
std::vector<std::uint32_t> told_of_group(const WaveClock& clock) {
  std::vector<std::uint32_t> moments = clock.group;
  moments[clock.self - clock.first] = clock.told();
  return moments;
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
    raise_to(all.group, told_of_group(*wave));
    for (const auto& [first, moments] : wave->foreign) {
      raise_to(all.foreign[first], moments);
    }
  }
  for (WaveClock* wave : waves) {
    const std::uint32_t now = wave->now();
    wave->group = all.group;
    wave->group[wave->self - wave->first] = now;
    wave->foreign = all.foreign;
    wave->store_under_way.reset();
    wave->advance();
  }
}

std::size_t ReaderSets::Hash::operator()(const Member& member) const {
  constexpr std::uint64_t kOdd = 0x9e37'79b9'7f4a'7c15;
  const std::uint64_t who = (std::uint64_t{member.wave} << 32U) | member.moment;
  return ((who * kOdd) ^ member.others) * kOdd;
}

ReaderSets::Set ReaderSets::set_of(const Member& member) {
  const auto [found, added] = sets_.try_emplace(member, static_cast<Set>(members_.size()));
  if (added) {
    members_.push_back(member);
  }
  return found->second;
}

ReaderSets::Set ReaderSets::with(Set readers, const WaveClock& clock) {
  const Member asked{clock.self, clock.now(), readers};
  if (asked == last_asked_) {
    return last_answer_;
  }
  // Those behind the last that goes stay as they are.
  std::vector<Member> staying;
  std::size_t above = 0;
  Set below = readers;
  for (Set at = readers; at != kNobody; at = members_[at].others) {
    if (clock.knows(members_[at].wave, members_[at].moment)) {
      below = members_[at].others;
      above = staying.size();
    } else {
      staying.push_back(members_[at]);
    }
  }
  for (std::size_t i = above; i > 0; --i) {
    below = set_of({staying[i - 1].wave, staying[i - 1].moment, below});
  }
  last_asked_ = asked;
  last_answer_ = set_of({clock.self, clock.now(), below});
  return last_answer_;
}

std::optional<std::uint32_t> ReaderSets::unknown(Set readers, const WaveClock& clock) const {
  for (Set at = readers; at != kNobody; at = members_[at].others) {
    if (!clock.knows(members_[at].wave, members_[at].moment)) {
      return members_[at].wave;
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> check_access(ByteRecord& record, ReaderSets& sets, const WaveClock& clock, Access access) {
  const std::uint32_t self = clock.self + 1;
  std::optional<std::uint32_t> other;
  const bool both_atomic = record.atomic && access != Access::kWrite;
  if (record.writer != 0 && record.writer != self && !both_atomic && !clock.knows(record.writer - 1, record.written)) {
    other = record.writer - 1;
  }
  if (access == Access::kRead) {
    record.readers = sets.with(record.readers, clock);
    return other;
  }
  if (access == Access::kWrite) {
    const auto reader = sets.unknown(record.readers, clock);
    other = reader ? reader : other;
    record.readers = ReaderSets::kNobody;
  }
  record.writer = self;
  record.written = clock.now();
  record.atomic = access == Access::kAtomic;
  return other;
}

std::optional<std::uint32_t> LdsRaces::access(const WaveClock& clock, std::uint64_t offset, std::size_t bytes,
                                              Access access) {
  std::optional<std::uint32_t> other;
  for (std::size_t i = 0; i < bytes; ++i) {
    const auto found = check_access(records_[offset + i], sets_, clock, access);
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
    const auto found = check_access((*last_)[at % kPage], sets_, clock, access);
    other = other ? other : found;
  }
  return other;
}

void AtomicOrder::release(const WaveClock& clock, std::uint64_t place) {
  auto& passed = places_[place];
  raise_to(passed[clock.first], told_of_group(clock));
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
