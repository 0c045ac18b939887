// SPDX-License-Identifier: MIT
#include "serve/arrow/flat_buffer.h"

#include <algorithm>

namespace aaco::serve {

namespace {

constexpr size_t kReferenceBytes = 4;
constexpr size_t kLargestAlignment = 8;

size_t bytes_of(const FlatBuffer::Field& field) { return field.bytes == 0 ? kReferenceBytes : field.bytes; }

}  // namespace

void FlatBuffer::put(uint64_t value, size_t bytes) {
  for (size_t i = bytes; i-- > 0;) {
    reversed_.push_back(static_cast<char>(value >> (8 * i)));
  }
}

// So that what is put after `bytes_to_come` more is aligned.
void FlatBuffer::align(size_t alignment, size_t bytes_to_come) {
  while ((reversed_.size() + bytes_to_come) % alignment != 0) {
    reversed_.push_back(0);
  }
}

void FlatBuffer::put_reference(Place to) {
  align(kReferenceBytes);
  put(place() + kReferenceBytes - to, kReferenceBytes);
}

FlatBuffer::Place FlatBuffer::add_string(std::string_view text) {
  align(kReferenceBytes, text.size() + 1);
  reversed_.push_back(0);
  reversed_.insert(reversed_.end(), text.rbegin(), text.rend());
  put(text.size(), kReferenceBytes);
  return place();
}

FlatBuffer::Place FlatBuffer::add_references(std::span<const Place> places) {
  align(kReferenceBytes);
  for (size_t i = places.size(); i-- > 0;) {
    put_reference(places[i]);
  }
  put(places.size(), kReferenceBytes);
  return place();
}

FlatBuffer::Place FlatBuffer::add_structs(std::span<const uint64_t> words, size_t words_each) {
  align(kLargestAlignment);
  for (size_t i = words.size(); i-- > 0;) {
    put(words[i], sizeof(uint64_t));
  }
  put(words.size() / words_each, kReferenceBytes);
  return place();
}

// The table, and in front of it the list of where its fields are.
FlatBuffer::Place FlatBuffer::add_table(std::span<const Field> fields) {
  std::vector<Field> ordered(fields.begin(), fields.end());
  // The largest lie farthest to the end, so that little is lost to alignment.
  std::sort(ordered.begin(), ordered.end(), [](const Field& a, const Field& b) { return bytes_of(a) > bytes_of(b); });
  const uint16_t numbers = fields.empty() ? 0
                                          : std::max_element(
                                                fields.begin(), fields.end(),
                                                [](const Field& a, const Field& b) {
                                                  return a.number < b.number;
                                                })->number +
                                                1;
  std::vector<Place> places(numbers, 0);
  const Place end = place();
  for (const Field& field : ordered) {
    align(bytes_of(field));
    if (field.bytes == 0) {
      put_reference(static_cast<Place>(field.value));
    } else {
      put(field.value, field.bytes);
    }
    places[field.number] = place();
  }
  align(kReferenceBytes);
  const Place table = place() + kReferenceBytes;
  const size_t list_bytes = 2 * (2 + size_t{numbers});
  put(list_bytes, kReferenceBytes);  // how far in front of the table its list lies
  for (size_t i = numbers; i-- > 0;) {
    put(places[i] == 0 ? 0 : table - places[i], 2);
  }
  put(table - end, 2);
  put(list_bytes, 2);
  return table;
}

std::string FlatBuffer::finish(Place root) {
  align(kLargestAlignment, kReferenceBytes);
  put_reference(root);
  return {reversed_.rbegin(), reversed_.rend()};
}

}  // namespace aaco::serve
