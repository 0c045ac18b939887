// SPDX-License-Identifier: MIT
// Races between waves, found by vector clocks: two waves touch a byte, one writes it, and neither a barrier nor an
// atomic operation orders the two. A plain read beside an atomic write is not reported: compilers make an atomic
// operation that a device lacks from a plain read and compare-and-swap.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace aaco::amd {

// What a wave knows of the others: the moments up to which their work is ordered before what it does now.
struct WaveClock {
  std::uint32_t first = 0;                                      // number in the launch of its workgroup's first wave
  std::uint32_t self = 0;                                       // its own, in the launch
  std::vector<std::uint32_t> group;                             // moments of the waves of its workgroup
  std::map<std::uint32_t, std::vector<std::uint32_t>> foreign;  // of other workgroups, by their first wave
  // Of the oldest of its stores that it has not waited for: what is from then on, others do not learn of.
  std::optional<std::uint32_t> store_under_way = {};

  std::uint32_t now() const { return group[self - first]; }
  std::uint32_t told() const { return store_under_way ? *store_under_way - 1 : now(); }  // to others
  void advance() { ++group[self - first]; }
  bool knows(std::uint32_t wave, std::uint32_t moment) const;
  void join(std::uint32_t first_of_other, const std::vector<std::uint32_t>& moments);
};

// All waves of a workgroup have met.
void meet(std::vector<WaveClock*>& waves);

enum class Access : std::uint8_t { kRead, kWrite, kAtomic };

// Waves that have read a byte, none ordered behind another. Bytes that the same waves have read share a set: many waves
// read the same weights.
class ReaderSets {
 public:
  using Set = std::uint32_t;
  static constexpr Set kNobody = 0;

  // `readers` and this wave; without those whose reads are ordered before this one, as whoever knows of it knows of
  // them.
  Set with(Set readers, const WaveClock& clock);
  // Another wave of `readers` that this one does not know of.
  std::optional<std::uint32_t> unknown(Set readers, const WaveClock& clock) const;

 private:
  struct Member {
    std::uint32_t wave = 0;
    std::uint32_t moment = 0;
    Set others = kNobody;
    friend bool operator==(const Member&, const Member&) = default;
  };
  struct Hash {
    std::size_t operator()(const Member& member) const;
  };
  Set set_of(const Member& member);

  std::vector<Member> members_{1};  // by set: the last that came
  std::unordered_map<Member, Set, Hash> sets_;
  Member last_asked_;  // the bytes of an access mostly have the same readers
  Set last_answer_ = kNobody;
};

// The last accesses to one byte.
struct ByteRecord {
  std::uint32_t writer = 0;  // number in the launch + 1; 0 is none
  std::uint32_t written = 0;
  ReaderSets::Set readers = ReaderSets::kNobody;
  bool atomic = false;  // the last write was
};

// Looks at the record, then writes the access into it. The other wave's number in the launch where there is a race.
std::optional<std::uint32_t> check_access(ByteRecord& record, ReaderSets& sets, const WaveClock& clock, Access access);

class LdsRaces {
 public:
  explicit LdsRaces(std::size_t bytes) : records_(bytes) {}
  std::optional<std::uint32_t> access(const WaveClock& clock, std::uint64_t offset, std::size_t bytes, Access access);

 private:
  std::vector<ByteRecord> records_;
  ReaderSets sets_;
};

class GlobalRaces {
 public:
  std::optional<std::uint32_t> access(const WaveClock& clock, std::uint64_t address, std::size_t bytes, Access access);

 private:
  static constexpr std::uint64_t kPage = 1024;
  using Page = std::array<ByteRecord, kPage>;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  ReaderSets sets_;
  std::uint64_t last_number_ = ~std::uint64_t{0};
  Page* last_ = nullptr;
};

// What atomic operations on one place have passed on, by workgroup.
class AtomicOrder {
 public:
  // Whoever releases advances its clock behind it: what it does then has not been passed on.
  void release(const WaveClock& clock, std::uint64_t place);
  void acquire(WaveClock& clock, std::uint64_t place) const;

 private:
  std::unordered_map<std::uint64_t, std::map<std::uint32_t, std::vector<std::uint32_t>>> places_;
};

}  // namespace aaco::amd
