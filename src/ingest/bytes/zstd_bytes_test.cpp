// SPDX-License-Identifier: MIT
#include "ingest/bytes/zstd_bytes.h"

#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <zstd.h>

#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

std::string zstd_of(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

struct Bytes {
  std::string text;
  std::string error;
};

Bytes read_all(const std::string& content, size_t piece) {
  auto folder = TemporaryFolder::create();
  EXPECT_TRUE(folder);
  std::ofstream(folder->path() / "f", std::ios::binary) << content;
  auto source = open_bytes(folder->path() / "f");
  EXPECT_TRUE(source);
  Bytes bytes;
  for (std::string into(piece, '\0');;) {
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
  for (int64_t i = 0; i < 200'000; ++i) {
    text += std::to_string(i * 7919) + "\n";
  }
  return text;
}

TEST(ZstdBytes, FramesFollowOneAnother) {
  const std::string text = long_text();
  const std::string skippable("\x50\x2A\x4D\x18\x03\0\0\0abc", 11);
  for (const size_t piece : {size_t{1}, size_t{1000}, size_t{1} << 20}) {
    const std::string whole = piece == 1 ? "short" : text;
    const Bytes bytes = read_all(skippable + zstd_of(whole) + zstd_of("") + skippable + zstd_of("second"), piece);
    EXPECT_EQ(bytes.error, "");
    EXPECT_EQ(bytes.text, whole + "second");
  }
}

TEST(ZstdBytes, DamageIsAnErrorBehindWhatIsGood) {
  const std::string text = long_text();
  const std::string whole = zstd_of(text);
  for (const std::string& damaged :
       {whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 1), whole + "garbage"}) {
    const Bytes bytes = read_all(damaged, size_t{1} << 16);
    EXPECT_NE(bytes.error.find("the zstd data"), std::string::npos) << bytes.error;
  }
  EXPECT_NE(read_all(whole.substr(0, 20), 100).error.find("ends early"), std::string::npos);
}

// A frame that asks for a window of 2 GiB: descriptor without content size, window of 2^31.
TEST(ZstdBytes, AWindowThatIsTooLargeIsSaid) {
  const std::string header("\x28\xB5\x2F\xFD\x00\xA8\x01\0\0", 9);
  EXPECT_NE(read_all(header, 100).error.find("window of more than 128 MiB"), std::string::npos);
}

}  // namespace
}  // namespace aaco
