// SPDX-License-Identifier: MIT
#include "ingest/likely_bytes.h"

#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

TEST(LikelyBytes, AreThoseOfWhatFilesHoldInflated) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const std::filesystem::path& root = folder->path();
  std::filesystem::create_directories(root / "below" / "it");
  const std::filesystem::path plain = root / "plain.json";
  const std::filesystem::path zipped = root / "below" / "it" / "zipped.json.gz";
  std::ofstream(plain) << std::string(70'000, 'a');
  ASSERT_TRUE(gzip_file(plain, zipped));
  std::ofstream(root / "below" / "cut.gz") << "\x1F\x8B";

  const auto bytes_of = [](const std::vector<std::filesystem::path>& paths) { return likely_bytes(paths); };
  EXPECT_EQ(bytes_of({plain}), 70'000);
  EXPECT_LT(std::filesystem::file_size(zipped), 1000);
  EXPECT_EQ(bytes_of({zipped}), 70'000);
  EXPECT_EQ(bytes_of({root / "below" / "cut.gz"}), 2);
  EXPECT_EQ(bytes_of({root}), 140'002);
  EXPECT_EQ(bytes_of({plain, root / "not there"}), 70'000);
}

}  // namespace
}  // namespace aaco
