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

  std::uint32_t now() const { return group[self - first]; }
  void advance() { ++group[self - first]; }
  bool knows(std::uint32_t wave, std::uint32_t moment) const;
  void join(std::uint32_t first_of_other, const std::vector<std::uint32_t>& moments);
};

// All waves of a workgroup have met.
void meet(std::vector<WaveClock*>& waves);

enum class Access : std::uint8_t { kRead, kWrite, kAtomic };

// The last accesses to one byte.
struct ByteRecord {
  std::uint32_t writer = 0;  // number in the launch + 1; 0 is none
  std::uint32_t written = 0;
  std::uint32_t reader = 0;
  std::uint32_t read = 0;
  bool atomic = false;        // the last write was
  bool many_readers = false;  // waves that nothing orders read it
};

// Looks at the record, then writes the access into it. The other wave's number in the launch where there is a race.
std::optional<std::uint32_t> check_access(ByteRecord& record, const WaveClock& clock, Access access);

class LdsRaces {
 public:
  explicit LdsRaces(std::size_t bytes) : records_(bytes) {}
  std::optional<std::uint32_t> access(const WaveClock& clock, std::uint64_t offset, std::size_t bytes, Access access);

 private:
  std::vector<ByteRecord> records_;
};

class GlobalRaces {
 public:
  std::optional<std::uint32_t> access(const WaveClock& clock, std::uint64_t address, std::size_t bytes, Access access);

 private:
  static constexpr std::uint64_t kPage = 1024;
  using Page = std::array<ByteRecord, kPage>;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_number_ = ~std::uint64_t{0};
  Page* last_ = nullptr;
};

// What atomic operations on one place have passed on, by workgroup.
class AtomicOrder {
 public:
  void release(const WaveClock& clock, std::uint64_t place);
  void acquire(WaveClock& clock, std::uint64_t place) const;

 private:
  std::unordered_map<std::uint64_t, std::map<std::uint32_t, std::vector<std::uint32_t>>> places_;
};

}  // namespace aaco::amd
