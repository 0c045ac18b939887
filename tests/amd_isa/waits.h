// SPDX-License-Identifier: MIT
// What s_waitcnt waits for: which registers have a result under way, and by which counter it is awaited.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "instruction.h"

namespace aaco::amd {

enum class WaitCounter : std::uint8_t { kVm, kLgkm, kVs };

inline constexpr int kNoRegister = -1;
inline constexpr std::uint8_t kNoWait = 0xff;  // of a counter that an s_waitcnt leaves alone

class Waits {
 public:
  // An instruction that will write `words` registers from `first` on (kNoRegister: a store). `in_order`: results of
  // this kind come in the order of issue; scalar and flat memory do not. `lds_write`: it writes LDS. `moment`: of a
  // store to what others see, on the wave's clock (races.h); 0 of all else.
  void issue(WaitCounter counter, bool in_order, int first, int words, bool lds_write, std::uint32_t moment = 0);

  // At most `left` of this counter are under way now.
  void wait(WaitCounter counter, std::uint32_t left);

  bool any() const { return under_way_ != 0; }
  bool pending(int index) const { return pending_[static_cast<std::size_t>(index)] != 0; }
  // Whether all that will write this register will do it in the order of issue on this counter.
  bool in_order(int index, WaitCounter counter) const;
  bool lds_writes_under_way() const { return lds_writes_ != 0; }
  bool stores_under_way() const { return stores_ != 0; }
  // The moment of the oldest store that is under way, with or without those to LDS.
  std::optional<std::uint32_t> oldest_store(bool with_lds) const;

 private:
  struct Entry {
    int first;
    int words;
    bool in_order;
    bool lds_write;
    std::uint32_t moment;
  };
  void end(const Entry& entry);

  std::array<std::deque<Entry>, 3> entries_;
  std::array<std::uint8_t, kRegisters> pending_{};
  int under_way_ = 0;
  int lds_writes_ = 0;
  int stores_ = 0;
};

}  // namespace aaco::amd
