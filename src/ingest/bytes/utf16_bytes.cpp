// SPDX-License-Identifier: MIT
#include "ingest/bytes/utf16_bytes.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace aaco {

namespace {

constexpr size_t kPieceBytes = size_t{1} << 16;
constexpr size_t kLongestCharacter = 4;  // in UTF-8
constexpr uint32_t kMark = 0xFEFF;

bool is_high(uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

void append(uint32_t code, std::vector<char>& text) {
  const auto add = [&](uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  const auto add_rest = [&](int shift) { add(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    add_rest(0);
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add_rest(6);
    add_rest(0);
  } else {
    add(0xF0 | code >> 18);
    add_rest(12);
    add_rest(6);
    add_rest(0);
  }
}

class Utf16Bytes : public ByteSource {
 public:
  Utf16Bytes(std::unique_ptr<ByteSource> source, Utf16Order order, std::string name)
      : source_(std::move(source)), order_(order), name_(std::move(name)) {}

  Result<size_t> read(std::span<char> into) override {
    size_t done = 0;
    while (done < into.size()) {
      if (taken_ == text_.size() && !convert_more()) {
        break;
      }
      const size_t count = std::min(into.size() - done, text_.size() - taken_);
      std::memcpy(into.data() + done, text_.data() + taken_, count);
      done += count;
      taken_ += count;
    }
    return done == 0 && error_ ? Result<size_t>(*error_) : done;
  }

 private:
  // False where nothing follows.
  bool convert_more() {
    text_.clear();
    taken_ = 0;
    while (text_.empty() && !ended_) {
      const size_t kept = odd_ ? 1 : 0;
      piece_.resize(kept + kPieceBytes);
      Result<size_t> got = source_->read(std::span(piece_).subspan(kept));
      if (!got || *got == 0) {
        end(got);
        break;
      }
      convert(kept + *got);
    }
    return !text_.empty();
  }

  void end(const Result<size_t>& got) {
    ended_ = true;
    if (high_ != 0) {
      append(std::exchange(high_, 0), text_);
    }
    if (!got) {
      error_ = got.error();
    } else if (odd_) {
      error_ = Error{ErrorKind::kUsage, name_ + ": the UTF-16 text ends within a character",
                     "copy the file again; what came before was read"};
    }
  }

  void convert(size_t size) {
    text_.reserve(size / 2 * 3 + kLongestCharacter);
    for (size_t i = 0; i + 1 < size; i += 2) {
      const auto first = static_cast<unsigned char>(piece_[i]);
      const auto second = static_cast<unsigned char>(piece_[i + 1]);
      const bool little = order_ == Utf16Order::kLittleEndian;
      take(little ? first | uint32_t{second} << 8 : second | uint32_t{first} << 8);
    }
    odd_ = size % 2 == 1;
    if (odd_) {
      piece_[0] = piece_[size - 1];
    }
  }

  void take(uint32_t unit) {
    if (std::exchange(began_, true) || unit != kMark) {
      if (high_ != 0 && is_low(unit)) {
        append(0x10000 + ((std::exchange(high_, 0) - 0xD800) << 10) + (unit - 0xDC00), text_);
        return;
      }
      if (high_ != 0) {
        append(std::exchange(high_, 0), text_);
      }
      if (is_high(unit)) {
        high_ = unit;
      } else {
        append(unit, text_);
      }
    }
  }

  std::unique_ptr<ByteSource> source_;
  Utf16Order order_;
  std::string name_;
  std::vector<char> piece_;
  std::vector<char> text_;
  size_t taken_ = 0;   // of the text
  uint32_t high_ = 0;  // the first half of a surrogate pair
  bool odd_ = false;   // piece_[0] is the first half of a unit
  bool began_ = false;
  bool ended_ = false;
  std::optional<Error> error_;
};

}  // namespace

std::optional<Utf16Order> utf16_order(std::string_view head) {
  using std::string_view_literals::operator""sv;
  constexpr size_t kLeast = 8;
  constexpr size_t kMost = 64;
  if (head.starts_with("\xFF\xFE"sv) && !head.starts_with("\xFF\xFE\0\0"sv)) {
    return Utf16Order::kLittleEndian;
  }
  if (head.starts_with("\xFE\xFF"sv)) {
    return Utf16Order::kBigEndian;
  }
  const size_t size = std::min(head.size(), kMost) / 2 * 2;
  const auto is_text = [&](size_t at) {
    const char c = head[at];
    return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
  };
  for (const size_t zeros : {size_t{1}, size_t{0}}) {
    bool fits = size >= kLeast;
    for (size_t i = 0; i < size && fits; i += 2) {
      fits = head[i + zeros] == '\0' && is_text(i + 1 - zeros);
    }
    if (fits) {
      return zeros == 1 ? Utf16Order::kLittleEndian : Utf16Order::kBigEndian;
    }
  }
  return std::nullopt;
}

std::unique_ptr<ByteSource> utf8_of_utf16(std::unique_ptr<ByteSource> source, Utf16Order order, std::string name) {
  return std::make_unique<Utf16Bytes>(std::move(source), order, std::move(name));
}

}  // namespace aaco
