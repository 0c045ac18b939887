// SPDX-License-Identifier: MIT
#include "model/identity/file_hash.h"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;

class FileHash : public testing::Test {
 protected:
  void write(const fs::path& file, char filling) {
    std::ofstream(file, std::ios::binary) << std::string(kSmallestKeptFile + 1, filling);
  }
  // Kept only when the last change lies some seconds back; a test cannot set the time of an inode's change.
  void settle() { std::this_thread::sleep_for(std::chrono::nanoseconds(kSettledNs + 100'000'000)); }
  std::string hash(const fs::path& file) {
    const auto hashed = hash_file(file, cache_);
    return hashed ? hashed->sha256 : hashed.error().message;
  }
  // What the cache says of every file from now on.
  void poison_cache() {
    std::string text = *read_file(cache_);
    const size_t tab = text.find('\t');
    text.replace(tab + 1, 64, std::string(64, '0'));
    std::ofstream(cache_) << text;
  }

  TemporaryFolder folder_ = TemporaryFolder::create().value();
  fs::path file_ = folder_.path() / "w.bin";
  fs::path cache_ = folder_.path() / "cache" / "file_hashes";
};

TEST_F(FileHash, IsThatOfTheContentThroughLinks) {
  write(file_, 'a');
  EXPECT_EQ(hash(file_), *sha256_of_file(file_));
  fs::create_symlink("w.bin", folder_.path() / "link");
  EXPECT_EQ(hash(folder_.path() / "link"), *sha256_of_file(file_));
  EXPECT_FALSE(fs::exists(cache_)) << "it was changed just now";
  EXPECT_FALSE(hash_file(folder_.path() / "absent", cache_));
}

// A hash is kept for one version of a file; any other is read anew, also where size and time were set back.
TEST_F(FileHash, IsKeptForTheVersionAlone) {
  write(file_, 'a');
  settle();
  EXPECT_EQ(hash(file_), *sha256_of_file(file_));
  ASSERT_TRUE(fs::exists(cache_));
  poison_cache();
  EXPECT_EQ(hash(file_), std::string(64, '0')) << "the kept hash is not used";
  struct stat before{};
  ASSERT_EQ(::stat(file_.c_str(), &before), 0);
  write(file_, 'b');
  const timespec times[2] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, file_.c_str(), times, 0), 0);
  settle();
  EXPECT_EQ(hash(file_), *sha256_of_file(file_));
}

TEST_F(FileHash, AChangeIsSeenByContentWhereTheInodeAloneChanged) {
  write(file_, 'a');
  const HashedFile hashed = *hash_file(file_, cache_);
  EXPECT_TRUE(*is_unchanged(hashed, cache_));
  fs::create_hard_link(file_, folder_.path() / "other");
  EXPECT_TRUE(*is_unchanged(hashed, cache_));
  write(file_, 'b');
  EXPECT_FALSE(*is_unchanged(hashed, cache_));
  fs::remove(file_);
  EXPECT_FALSE(is_unchanged(hashed, cache_));
}

TEST_F(FileHash, ACacheThatCannotBeWrittenIsNoError) {
  write(file_, 'a');
  settle();
  EXPECT_EQ(hash_file(file_, file_ / "cache")->sha256, *sha256_of_file(file_));
}

}  // namespace
}  // namespace aaco
