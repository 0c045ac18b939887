// SPDX-License-Identifier: MIT
// As much of the FlatBuffers format as Arrow's metadata needs: tables, vectors of tables and of structs, strings. Its
// documents define the bytes (flatbuffers.dev, "FlatBuffer Internals"); flat_buffer_test.cpp and pyarrow read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aaco::serve {

// Written from the end to the front, so that what is referred to is there before what refers to it.
class FlatBuffer {
 public:
  // The distance from the end of the buffer: how a part is named until all is there.
  using Place = uint32_t;

  // A value of a table's field, by its number in the schema.
  struct Field {
    uint16_t number = 0;
    uint8_t bytes = 0;   // 1, 2, 4 or 8 of a number; 0: a reference
    uint64_t value = 0;  // the number, or the Place
  };

  Place add_string(std::string_view text);
  Place add_references(std::span<const Place> places);
  // Of structs that consist of 8-byte numbers, `words_each` of them.
  Place add_structs(std::span<const uint64_t> words, size_t words_each);
  Place add_table(std::span<const Field> fields);
  // With the root's place in front; a multiple of 8 bytes long.
  std::string finish(Place root);

 private:
  void put(uint64_t value, size_t bytes);
  void align(size_t alignment, size_t bytes_to_come = 0);
  void put_reference(Place place);
  Place place() const { return static_cast<Place>(reversed_.size()); }

  std::vector<char> reversed_;  // the last byte first
};

}  // namespace aaco::serve
