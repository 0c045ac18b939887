// SPDX-License-Identifier: MIT
#include "ingest/bytes/byte_source.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <zlib.h>

#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

std::string gzip_of(const std::string& text, int level = 6, gz_header* header = nullptr) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  if (header != nullptr) {
    EXPECT_EQ(deflateSetHeader(&stream, header), Z_OK);
  }
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct Bytes {
  std::string text;
  std::string error;
};

// All that a file gives, in pieces of `piece` bytes.
Bytes read_all(const std::string& content, size_t piece) {
  auto folder = TemporaryFolder::create();
  EXPECT_TRUE(folder);
  const std::filesystem::path path = folder->path() / "f";
  std::ofstream(path, std::ios::binary) << content;
  auto source = open_bytes(path);
  EXPECT_TRUE(source);
  Bytes bytes;
  std::string into(piece, '\0');
  while (true) {
    const Result<size_t> got = (*source)->read(into);
    if (!got) {
      bytes.error = got.error().message;
      return bytes;
    }
    if (*got == 0) {
      return bytes;
    }
    bytes.text.append(into, 0, *got);
  }
}

std::string long_text() {
  std::string text;
  for (int64_t i = 0; i < 700'000; ++i) {
    text += std::to_string(i * 7919) + "\n";
  }
  return text;  // several blocks of the inflating thread
}

TEST(ByteSource, PlainAndCompressedAreTheSame) {
  const std::string text = long_text();
  ASSERT_GT(text.size(), size_t{5} << 20);
  for (const size_t piece : {size_t{1000}, size_t{1} << 20, size_t{3} << 20}) {
    EXPECT_EQ(read_all(text, piece).text, text);
    const Bytes inflated = read_all(gzip_of(text), piece);
    EXPECT_EQ(inflated.text, text);
    EXPECT_EQ(inflated.error, "");
  }
}

TEST(ByteSource, MembersFollowOneAnotherAndZerosMayFill) {
  const Bytes bytes = read_all(gzip_of("one ") + gzip_of("two") + std::string(512, '\0'), 100);
  EXPECT_EQ(bytes.text, "one two");
  EXPECT_EQ(bytes.error, "");
}

// The input is read in pieces of 128 KiB: a header that has a checksum of its own, cut by the end of one at each byte.
TEST(ByteSource, AHeaderMayBeCutByTheEndOfAPiece) {
  gz_header header{};
  header.hcrc = 1;
  header.name = reinterpret_cast<Bytef*>(const_cast<char*>("name"));
  for (size_t behind = 0; behind < 20; ++behind) {
    std::string filler(100'000, 'x');
    const size_t framing = gzip_of(filler, 0).size() - filler.size();
    filler.resize((size_t{1} << 17) - framing - behind, 'x');
    const Bytes bytes = read_all(gzip_of(filler, 0) + gzip_of("second", 6, &header), size_t{1} << 20);
    EXPECT_EQ(bytes.text, filler + "second") << behind;
    EXPECT_EQ(bytes.error, "") << behind;
  }
}

TEST(ByteSource, DamageIsAnErrorBehindWhatIsGood) {
  const std::string text = long_text();
  const std::string whole = gzip_of(text);
  std::string bad_sum = whole;
  bad_sum[whole.size() - 8] = static_cast<char>(~bad_sum[whole.size() - 8]);
  for (const std::string& damaged : {whole.substr(0, whole.size() / 2), bad_sum, whole + "garbage"}) {
    const Bytes bytes = read_all(damaged, size_t{1} << 20);
    EXPECT_NE(bytes.error.find("gzip"), std::string::npos) << bytes.error;
    EXPECT_EQ(bytes.text, text.substr(0, bytes.text.size()));
    EXPECT_GT(bytes.text.size(), text.size() / 3);
  }
}

// The inflating thread is ahead by several blocks and stops.
TEST(ByteSource, MayBeLeftUnread) {
  EXPECT_EQ(read_all(gzip_of(""), 10).text, "");
  auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  std::ofstream(folder->path() / "f", std::ios::binary) << gzip_of(long_text());
  auto source = open_bytes(folder->path() / "f");
  ASSERT_TRUE(source);
  char byte = 0;
  EXPECT_EQ(*(*source)->read({&byte, 1}), 1);
}

TEST(ByteSource, AHeadComesAgain) {
  const std::string rest = "rest";
  const auto source = with_head({'h', 'e'}, bytes_of(rest));
  char into[3];
  ASSERT_EQ(*source->read(into), 3);
  EXPECT_EQ(std::string(into, 3), "her");
  ASSERT_EQ(*source->read(into), 3);
  EXPECT_EQ(*source->read(into), 0);
}

}  // namespace
}  // namespace aaco
