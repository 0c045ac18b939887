// SPDX-License-Identifier: MIT
#include "ingest/sqlite/database/leaf_rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace aaco {

namespace {

constexpr size_t kRunBytes = size_t{1} << 18;
constexpr uint64_t kLongestRow = 1'000'000'000;  // as SQLite is told
constexpr uint32_t kWidestGap = 8;  // of other tables' pages, which it is cheaper to read than to seek over

// "B-tree Cell Format": how much of a record lies in the leaf itself.
size_t local_bytes(uint64_t record_bytes, size_t usable) {
  const size_t most = usable - 35;
  if (record_bytes <= most) {
    return record_bytes;
  }
  const size_t least = (usable - 12) * 32 / 255 - 23;
  const size_t fitting = least + (record_bytes - least) % (usable - 4);
  return fitting <= most ? fitting : least;
}

}  // namespace

LeafRows::LeafRows(const PageFile& file, std::span<const uint32_t> pages, ReadBudget& budget)
    : file_(file), pages_(pages), budget_(budget) {}

bool LeafRows::damaged(std::string what) {
  damage_ = std::move(what);
  pages_ = {};
  cell_ = head_.cells = 0;
  return false;
}

// As many of the next pages as lie close together.
bool LeafRows::read_run() {
  const size_t most = std::max<size_t>(1, kRunBytes / file_.page_bytes());
  run_first_ = pages_.front();
  run_pages_ = 1;
  for (const uint32_t page : pages_.subspan(1)) {
    const uint64_t behind = uint64_t{run_first_} + run_pages_;
    if (page < behind || page > behind + kWidestGap || page >= uint64_t{run_first_} + most || page > file_.pages()) {
      break;
    }
    run_pages_ = size_t{page} - run_first_ + 1;
  }
  run_.resize(run_pages_ * file_.page_bytes() + kPagePadding);
  return file_.read(run_first_, run_pages_, run_);
}

bool LeafRows::next_page() {
  const uint32_t number = pages_.front();
  if ((run_pages_ == 0 || number < run_first_ || number - run_first_ >= run_pages_) && !read_run()) {
    return damaged(fmt::format("page {} is not there", number));
  }
  page_ = std::span(run_).subspan((number - run_first_) * file_.page_bytes(), file_.usable_bytes());
  const auto head = page_head(page_, number);
  if (!head || head->type != PageHead::Type::kLeaf) {
    return damaged(fmt::format("page {} is damaged", number));
  }
  head_ = *head;
  cell_ = 0;
  pages_ = pages_.subspan(1);
  return budget_.rows.fetch_sub(static_cast<int64_t>(head_.cells)) >= 0 || damaged("its pages are in disorder");
}

bool LeafRows::next() {
  while (cell_ == head_.cells) {
    if (pages_.empty() || !next_page()) {
      return false;
    }
  }
  const uint8_t* at = page_.data() + number16(page_.data() + head_.pointers_at + 2 * cell_++);
  const uint8_t* const end = page_.data() + page_.size();
  const uint64_t bytes = varint(at);  // begins in the page; two of nine bytes end within the padding at most
  id_ = static_cast<int64_t>(varint(at));
  if (at > end) {
    return damaged("a row lies outside its page");
  }
  const auto left = static_cast<size_t>(end - at);
  const size_t local = local_bytes(bytes, page_.size());
  if (local == bytes && bytes <= left) {
    record_ = {at, local};
    return true;
  }
  if (local + 4 > left || local == bytes) {
    return damaged("a row lies outside its page");
  }
  return read_overflow({at, local}, bytes, number32(at + local));
}

// "Cell Payload Overflow Pages": the number of the next page, then the record's bytes.
bool LeafRows::read_overflow(std::span<const uint8_t> start, uint64_t bytes, uint32_t page) {
  const uint64_t file_bytes = uint64_t{file_.pages()} * file_.page_bytes();
  if (bytes > std::min(file_bytes, kLongestRow) || budget_.overflow_bytes.fetch_sub(static_cast<int64_t>(bytes)) < 0) {
    return damaged("a row is too long");
  }
  whole_.resize(bytes + kPagePadding);
  std::copy(start.begin(), start.end(), whole_.begin());
  std::vector<uint8_t> overflow(file_.page_bytes());
  for (size_t done = start.size(); done < bytes;) {
    if (!file_.read(page, 1, overflow)) {
      return damaged(fmt::format("page {} is not there", page));
    }
    const size_t piece = std::min<size_t>(bytes - done, file_.usable_bytes() - 4);
    std::copy_n(overflow.begin() + 4, piece, whole_.begin() + static_cast<ptrdiff_t>(done));
    done += piece;
    page = number32(overflow.data());
  }
  record_ = {whole_.data(), bytes};
  return true;
}

}  // namespace aaco
