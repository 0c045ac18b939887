// SPDX-License-Identifier: MIT
// Events as writers of traces write them: the same members in the same order with the same white space, again and
// again. What stood between two values is remembered; where it stands there again, it is passed over by one comparison
// and its key is known.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/chrome/raw_event.h"
#include "ingest/chrome/scan.h"

namespace aaco::chrome {

class EventScanner {
 public:
  EventScanner();

  // `p` at an object that begins with '{'; null where it gives up. The event's views are into the text.
  Place scan(Place p, Place end, RawEvent& event);

 private:
  // From behind a value, or from an opening bracket, to the next value, or behind the closing bracket.
  struct Step {
    static constexpr size_t kLongest = 32;
    alignas(32) std::array<char, kLongest> text = {};
    uint32_t bytes = 0;    // those of `text` that count, a bit each
    uint8_t size = 0;      // how many they are
    KeySlot to = kNoSlot;  // none yet, and anything is equal to it
  };
  // A key, as a member of an event or of its arguments. Of what comes behind, few kinds of events make few different.
  struct Slot {
    static constexpr size_t kSteps = 4;
    RawValue RawEvent::* member = nullptr;  // none: among the arguments or the others
    bool is_arguments = false;
    std::array<Step, kSteps> next;
  };

  inline RawValue& value_of(KeySlot slot, bool in_arguments, RawEvent& event);
  Place find_key(Place p, Place end, bool first, bool in_arguments, KeySlot& slot);
  KeySlot slot_of(std::string_view key, bool in_arguments);
  void learn(KeySlot from, Place start, Place behind, KeySlot to);

  std::vector<Slot> slots_;
  std::vector<std::string_view> keys_;                                // by slot: views into the maps' keys
  std::array<std::map<std::string, KeySlot, std::less<>>, 2> known_;  // of the event, of its arguments
};

}  // namespace aaco::chrome
