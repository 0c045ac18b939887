// SPDX-License-Identifier: MIT
#include "waits.h"

#include <algorithm>

namespace aaco::amd {

void Waits::issue(WaitCounter counter, bool in_order, int first, int words, bool lds_write, std::uint32_t moment) {
  entries_[static_cast<std::size_t>(counter)].push_back({first, words, in_order, lds_write, moment});
  ++under_way_;
  lds_writes_ += lds_write ? 1 : 0;
  stores_ += moment != 0 ? 1 : 0;
  for (int index = first; first != kNoRegister && index < first + words; ++index) {
    ++pending_[static_cast<std::size_t>(index)];
  }
}

void Waits::end(const Entry& entry) {
  --under_way_;
  lds_writes_ -= entry.lds_write ? 1 : 0;
  stores_ -= entry.moment != 0 ? 1 : 0;
  for (int index = entry.first; entry.first != kNoRegister && index < entry.first + entry.words; ++index) {
    --pending_[static_cast<std::size_t>(index)];
  }
}

void Waits::wait(WaitCounter counter, std::uint32_t left) {
  auto& entries = entries_[static_cast<std::size_t>(counter)];
  // With one among them that may come at any time, a count says nothing of which are done, but for none left.
  if (left != 0 && std::any_of(entries.begin(), entries.end(), [](const Entry& entry) { return !entry.in_order; })) {
    return;
  }
  while (entries.size() > left) {
    end(entries.front());
    entries.pop_front();
  }
}

std::optional<std::uint32_t> Waits::oldest_store(bool with_lds) const {
  std::optional<std::uint32_t> oldest;
  for (const auto& entries : entries_) {
    for (const Entry& entry : entries) {
      if (entry.moment != 0 && (with_lds || !entry.lds_write)) {
        oldest = std::min(oldest.value_or(entry.moment), entry.moment);
      }
    }
  }
  return oldest;
}

bool Waits::in_order(int index, WaitCounter counter) const {
  for (std::size_t other = 0; other < entries_.size(); ++other) {
    for (const Entry& entry : entries_[other]) {
      const bool covers = entry.first != kNoRegister && index >= entry.first && index < entry.first + entry.words;
      if (covers && (!entry.in_order || other != static_cast<std::size_t>(counter))) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace aaco::amd
