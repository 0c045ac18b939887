// SPDX-License-Identifier: MIT
#include "ingest/sqlite/database/page_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/interrupt.h"

namespace aaco {

namespace {

constexpr size_t kHeaderBytes = 100;  // of the file, on its first page
constexpr size_t kLeastUsable = 480;
constexpr size_t kDeepest = 20;  // SQLite's own limit
constexpr uint32_t kUtf8 = 1;

bool read_at(int file, std::span<uint8_t> into, uint64_t offset) {
  for (size_t done = 0; done < into.size();) {
    const ssize_t got = pread(file, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return false;
    }
    done += static_cast<size_t>(got);
  }
  return true;
}

std::optional<PageHead> read_page(const PageFile& file, uint32_t number, std::vector<uint8_t>& page) {
  page.resize(file.page_bytes() + kPagePadding);
  return file.read(number, 1, page) ? page_head({page.data(), file.usable_bytes()}, number) : std::nullopt;
}

// All leaves of a tree lie equally deep: the first one says how deep. None where the root is no page of a table, or
// there is no leaf.
std::optional<size_t> depth_of(const PageFile& file, uint32_t root) {
  std::vector<uint8_t> page;
  uint32_t number = root;
  for (size_t depth = 0; depth <= kDeepest; ++depth) {
    const auto head = read_page(file, number, page);
    if (!head) {
      return depth == 0 ? std::nullopt : std::optional(depth);  // it is found when that level is read
    }
    if (head->type == PageHead::Type::kLeaf) {
      return depth;
    }
    number = head->cells == 0 ? head->right : number32(page.data() + number16(page.data() + head->pointers_at));
  }
  return std::nullopt;
}

// Adds the children of an interior page. Not empty: what is wrong with it.
std::string add_children(const PageFile& file, uint32_t number, std::vector<uint8_t>& page,
                         std::vector<uint32_t>& children) {
  const auto head = read_page(file, number, page);
  if (!head || head->type != PageHead::Type::kInterior) {
    return fmt::format("page {} is damaged, or not there", number);
  }
  for (size_t i = 0; i < head->cells; ++i) {
    children.push_back(number32(page.data() + number16(page.data() + head->pointers_at + 2 * i)));
  }
  children.push_back(head->right);
  return "";
}

}  // namespace

std::optional<PageFile> PageFile::open(int file) {
  std::array<uint8_t, kHeaderBytes> header{};
  struct stat status{};
  if (!read_at(file, header, 0) || fstat(file, &status) != 0) {
    return std::nullopt;
  }
  PageFile pages;
  pages.file_ = file;
  pages.page_bytes_ = number16(&header[16]) == 1 ? 65536 : number16(&header[16]);
  const size_t reserved = header[20];
  const bool is_sound = std::has_single_bit(pages.page_bytes_) && pages.page_bytes_ >= 512 &&
                        pages.page_bytes_ - reserved >= kLeastUsable && number32(&header[56]) == kUtf8;
  if (!is_sound) {
    return std::nullopt;
  }
  pages.usable_bytes_ = pages.page_bytes_ - reserved;
  const uint64_t whole = static_cast<uint64_t>(status.st_size) / pages.page_bytes_;
  pages.pages_ = static_cast<uint32_t>(std::min<uint64_t>(whole, UINT32_MAX - 1));
  return pages;
}

bool PageFile::read(uint32_t first, size_t count, std::span<uint8_t> into) const {
  return first > 0 && first <= pages_ && count <= size_t{pages_} - first + 1 &&
         read_at(file_, into.first(count * page_bytes_), (uint64_t{first} - 1) * page_bytes_);
}

// "B-tree Pages": type, free block, number of cells, begin of the cells' content, fragments; of interior pages, the
// right-most child. Page 1 begins with the header of the file.
std::optional<PageHead> page_head(std::span<const uint8_t> page, uint32_t number) {
  const size_t start = number == 1 ? kHeaderBytes : 0;
  const uint8_t* const bytes = page.data() + start;
  PageHead head;
  if (bytes[0] != static_cast<uint8_t>(PageHead::Type::kInterior) &&
      bytes[0] != static_cast<uint8_t>(PageHead::Type::kLeaf)) {
    return std::nullopt;
  }
  head.type = static_cast<PageHead::Type>(bytes[0]);
  const bool is_leaf = head.type == PageHead::Type::kLeaf;
  head.cells = number16(bytes + 3);
  head.right = is_leaf ? 0 : number32(bytes + 8);
  head.pointers_at = start + (is_leaf ? 8 : 12);
  const size_t cells_from = head.pointers_at + 2 * head.cells;
  const size_t least_cell = is_leaf ? 1 : 5;
  if (cells_from > page.size()) {
    return std::nullopt;
  }
  for (size_t i = 0; i < head.cells; ++i) {
    const size_t at = number16(page.data() + head.pointers_at + 2 * i);
    if (at < cells_from || at + least_cell > page.size()) {
      return std::nullopt;
    }
  }
  return head;
}

std::optional<LeafPages> leaf_pages(const PageFile& file, uint32_t root) {
  const auto depth = depth_of(file, root);
  if (!depth) {
    return std::nullopt;
  }
  LeafPages pages{{root}, {}};
  std::vector<uint8_t> page;
  size_t known = 1;  // pages of all levels: a sound tree has each page of the file once at most
  for (size_t level = 0; level < *depth; ++level) {
    std::vector<uint32_t> children;
    for (const uint32_t number : pages.pages) {
      if (std::string damage = add_children(file, number, page, children); !damage.empty()) {
        pages.damage = std::move(damage);
        break;
      }
      if (known + children.size() > file.pages() || interrupted()) {
        pages.damage = "its pages are in disorder";
        break;
      }
    }
    known += children.size();
    pages.pages = std::move(children);
  }
  return pages;
}

}  // namespace aaco
