// SPDX-License-Identifier: MIT
#include "ingest/chrome/event_scanner.h"

#include <algorithm>
#include <cstring>
#include <emmintrin.h>
#include <utility>

#include "ingest/chrome/members.h"

namespace aaco::chrome {

namespace {

// Slots that are no keys.
constexpr KeySlot kEvent = 1;      // the event's '{'
constexpr KeySlot kArguments = 2;  // the arguments' '{'
constexpr KeySlot kEnd = 3;        // a '}' was passed
constexpr size_t kMostSlots = 4096;

// A bit for each of 32 bytes that is the same.
uint32_t same32(Place p, const char* text) {
  const auto same = [&](size_t at) {
    const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + at));
    const __m128i b = _mm_load_si128(reinterpret_cast<const __m128i*>(text + at));
    return static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(a, b)));
  };
  return same(0) | same(16) << 16;
}

}  // namespace

EventScanner::EventScanner() : slots_(kEnd + 1), keys_(kEnd + 1) {}

KeySlot EventScanner::slot_of(std::string_view key, bool in_arguments) {
  auto& known = known_[in_arguments ? 1 : 0];
  if (const auto position = known.find(key); position != known.end()) {
    return position->second;
  }
  if (slots_.size() >= kMostSlots) {
    return kNoSlot;
  }
  const auto slot = static_cast<KeySlot>(slots_.size());
  keys_.push_back(known.emplace(key, slot).first->first);
  slots_.push_back({in_arguments ? nullptr : member_of(key), !in_arguments && key == "args", {}});
  return slot;
}

// The newest goes in front, the oldest is forgotten.
void EventScanner::learn(KeySlot from, Place start, Place behind, KeySlot to) {
  const auto size = static_cast<size_t>(behind - start);
  if (from == kNoSlot || to == kNoSlot || size == 0 || size > Step::kLongest) {
    return;
  }
  auto& next = slots_[from].next;
  std::shift_right(next.begin(), next.end(), 1);
  next[0] = {.bytes = UINT32_MAX >> (Step::kLongest - size), .size = static_cast<uint8_t>(size), .to = to};
  std::memcpy(next[0].text.data(), start, size);
}

// Where the value of a key belongs.
RawValue& EventScanner::value_of(KeySlot slot, bool in_arguments, RawEvent& event) {
  if (slots_[slot].member != nullptr) {
    RawValue& member = event.*slots_[slot].member;
    if (member.type != RawType::kAbsent) {
      event.duplicate_key = true;
      member = {};
    }
    return member;
  }
  RawArgument& argument = (in_arguments ? event.arguments : event.others).emplace_back();
  argument.key = keys_[slot];
  argument.slot = slot;
  return argument.value;
}

// By the grammar: from behind a value, or from the bracket where it is the `first`, to the next value, or behind the
// closing bracket.
Place EventScanner::find_key(Place p, Place end, bool first, bool in_arguments, KeySlot& slot) {
  p = skip_space(first ? p + 1 : p);
  if (*p == '}') {
    slot = kEnd;
    return p < end ? p + 1 : nullptr;
  }
  if (!first) {
    if (*p != ',') {
      return nullptr;
    }
    p = skip_space(p + 1);
  }
  if (p >= end || *p != '"') {
    return nullptr;
  }
  const Place quote = find_quote(p + 1, end);
  if (quote == nullptr) {
    return nullptr;
  }
  slot = slot_of({p + 1, static_cast<size_t>(quote - p - 1)}, in_arguments);
  p = skip_space(quote + 1);
  return *p == ':' && slot != kNoSlot ? skip_space(p + 1) : nullptr;
}

Place EventScanner::scan(Place p, Place end, RawEvent& event) {
  event.clear();
  KeySlot from = kEvent;
  KeySlot around = kNoSlot;  // the key of the arguments, while in them
  while (p != nullptr && p < end) {
    KeySlot to = kNoSlot;
    for (const Step& step : slots_[from].next) {
      if ((same32(p, step.text.data()) & step.bytes) == step.bytes) {
        p += step.size;
        to = step.to;
        break;
      }
    }
    if (to == kNoSlot) {
      const Place start = p;
      p = find_key(p, end, from == kEvent || from == kArguments, around != kNoSlot, to);
      if (p == nullptr) {
        return nullptr;
      }
      learn(from, start, p, to);
    }
    if (to == kEnd) {
      if (around == kNoSlot) {
        return p <= end ? p : nullptr;
      }
      from = std::exchange(around, kNoSlot);
      continue;
    }
    p = skip_space(p);
    const Slot& key = slots_[to];
    if (key.is_arguments && *p == '{') {
      if (!event.arguments.empty()) {
        return nullptr;
      }
      around = to;
      from = kArguments;
      continue;
    }
    p = scan_value(p, end, value_of(to, around != kNoSlot, event));
    from = to;
  }
  return nullptr;
}

}  // namespace aaco::chrome
