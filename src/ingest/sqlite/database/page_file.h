// SPDX-License-Identifier: MIT
// A SQLite database as pages, by its published file format (sqlite.org/fileformat2.html): where the rows of a table
// lie. Whatever the bytes are, what is read stays inside them and ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace aaco {

inline constexpr size_t kPagePadding = 32;  // bytes behind pages that may be loaded, not looked at

class PageFile {
 public:
  // None where the header is not as the format has it, or texts are not in UTF-8. The file is the caller's.
  static std::optional<PageFile> open(int file);

  uint32_t pages() const { return pages_; }  // that the file is long enough for
  size_t page_bytes() const { return page_bytes_; }
  size_t usable_bytes() const { return usable_bytes_; }  // of each page
  // `count` pages from `first` on, which counts from 1. False where the file does not have them.
  bool read(uint32_t first, size_t count, std::span<uint8_t> into) const;

 private:
  int file_ = -1;
  size_t page_bytes_ = 0;
  size_t usable_bytes_ = 0;
  uint32_t pages_ = 0;
};

// What a page of a table's tree says of itself.
struct PageHead {
  enum class Type : uint8_t { kInterior = 5, kLeaf = 13 };
  Type type = Type::kLeaf;
  size_t cells = 0;
  size_t pointers_at = 0;  // where the offsets of the cells are, 16 bits each
  uint32_t right = 0;      // the last child of an interior page
};
// Of the usable bytes of page `number`; every cell begins in them. None where it is no such page.
std::optional<PageHead> page_head(std::span<const uint8_t> page, uint32_t number);

// Big-endian.
inline uint32_t number16(const uint8_t* bytes) { return (uint32_t{bytes[0]} << 8) | bytes[1]; }
inline uint32_t number32(const uint8_t* bytes) { return (number16(bytes) << 16) | number16(bytes + 2); }

// A number of one to nine bytes; moves `at` behind it. The nine bytes can be loaded.
inline uint64_t varint(const uint8_t*& at) {
  uint64_t value = *at++;
  if (value < 0x80) {
    return value;
  }
  value &= 0x7f;
  for (int i = 1; i < 8; ++i) {
    const uint8_t byte = *at++;
    value = (value << 7) | (byte & 0x7f);
    if (byte < 0x80) {
      return value;
    }
  }
  return (value << 8) | *at++;
}

// The leaf pages of a table's tree, in the order of its rows: up to where it is damaged.
struct LeafPages {
  std::vector<uint32_t> pages;
  std::string damage;  // empty: none
};
// None where `root` is no page of a table with row ids, or no leaf is below it.
std::optional<LeafPages> leaf_pages(const PageFile& file, uint32_t root);

}  // namespace aaco
