// SPDX-License-Identifier: MIT
#include "record/events/string_table.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <random>

namespace aaco {

namespace {

constexpr size_t kBlockBytes = size_t{1} << 18;
constexpr size_t kMostBlockBytes = size_t{1} << 26;
constexpr uint64_t kOdd1 = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
constexpr uint64_t kOdd2 = 0xD6E8FEB86659FD93;

uint64_t load8(const char* p) {
  uint64_t value = 0;
  std::memcpy(&value, p, 8);
  return value;
}

uint64_t load4(const char* p) {
  uint32_t value = 0;
  std::memcpy(&value, p, 4);
  return value;
}

uint64_t fold(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

StringTable::StringTable() : seed_((uint64_t{std::random_device{}()} << 32) | std::random_device{}()) {
  slots_ = free_slots(1024);
  intern("");
}

// Multiply and fold, 16 bytes a step. The seed enters each product, so that no two texts collide under every seed.
uint64_t StringTable::hash(std::string_view text) const {
  const char* p = text.data();
  size_t left = text.size();
  uint64_t state = seed_ ^ (left * kOdd1);
  while (left > 16) {
    state = fold(load8(p) ^ state, load8(p + 8) ^ kOdd2 ^ seed_);
    p += 16;
    left -= 16;
  }
  uint64_t a = 0;
  uint64_t b = 0;
  if (left >= 8) {
    a = load8(p);
    b = load8(p + left - 8);
  } else if (left >= 4) {
    a = load4(p);
    b = load4(p + left - 4);
  } else if (left > 0) {
    a = static_cast<unsigned char>(p[0]) | (uint64_t{static_cast<unsigned char>(p[left / 2])} << 8) |
        (uint64_t{static_cast<unsigned char>(p[left - 1])} << 16);
  }
  return fold(fold(a ^ state, b ^ kOdd2 ^ seed_) ^ kOdd1, state ^ kOdd2);
}

StringId StringTable::intern(std::string_view text) {
  const uint64_t value = hash(text);
  const auto tag = static_cast<uint32_t>(value);
  size_t at = tag & (slots_.size() - 1);
  for (; slots_[at].id != kFree; at = (at + 1) & (slots_.size() - 1)) {
    const Entry& entry = entries_[slots_[at].id];
    if (slots_[at].tag == tag && entry.length == text.size() &&
        (text.empty() || std::memcmp(entry.data, text.data(), text.size()) == 0)) {
      return slots_[at].id;
    }
  }
  if (entries_.size() >= kFree) {
    throw std::bad_alloc();
  }
  const auto id = static_cast<StringId>(entries_.size());
  entries_.push_back({keep(text), text.size()});
  slots_[at] = {tag, id};
  if (entries_.size() * 2 > slots_.size()) {
    grow();
  }
  return id;
}

// A text stays where it is, wherever the tables' other memory moves: a block is reserved whole.
const char* StringTable::keep(std::string_view text) {
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < text.size()) {
    blocks_.emplace_back().reserve(std::max({kBlockBytes, text.size(), std::min(bytes_ / 4, kMostBlockBytes)}));
  }
  char* const kept = blocks_.back().extend(text.size());
  if (!text.empty()) {
    std::memcpy(kept, text.data(), text.size());
  }
  bytes_ += text.size();
  return kept;
}

GrowingArray<StringTable::Slot> StringTable::free_slots(size_t count) {
  GrowingArray<Slot> slots;
  slots.reserve(count);
  std::fill_n(slots.extend(count), count, Slot{0, kFree});
  return slots;
}

void StringTable::grow() {
  GrowingArray<Slot> wider = free_slots(slots_.size() * 2);
  for (const Slot& slot : slots_) {
    if (slot.id != kFree) {
      size_t at = slot.tag & (wider.size() - 1);
      while (wider[at].id != kFree) {
        at = (at + 1) & (wider.size() - 1);
      }
      wider[at] = slot;
    }
  }
  slots_ = std::move(wider);
}

}  // namespace aaco
