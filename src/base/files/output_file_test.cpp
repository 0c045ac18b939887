// SPDX-License-Identifier: MIT
#include "base/files/output_file.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <zlib.h>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;

size_t files_in(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(OutputFile, IsThereAsAWholeOrNotAtAll) {
  auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const fs::path path = folder->path() / "file";
  ASSERT_TRUE(write_file_atomically(path, "before"));
  {
    auto file = OutputFile::create(path);
    ASSERT_TRUE(file);
    (*file)->append("half");
    EXPECT_EQ(*read_file(path), "before");
  }
  EXPECT_EQ(files_in(folder->path()), 1);
  auto file = OutputFile::create(path);
  ASSERT_TRUE(file);
  const std::string large(3 * OutputFile::kBufferBytes + 1, 'x');
  (*file)->append("begin");
  (*file)->append(large);
  std::copy_n("end", 3, (*file)->room(3));
  (*file)->advance(3);
  const auto bytes = (*file)->finish();
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, large.size() + 8);
  EXPECT_EQ(*read_file(path), "begin" + large + "end");
  EXPECT_EQ(files_in(folder->path()), 1);
}

TEST(OutputFile, Gzip) {
  auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const fs::path path = folder->path() / "file.gz";
  const std::string large(2 * OutputFile::kBufferBytes + 7, 'y');
  auto file = OutputFile::create(path, OutputFile::Form::kGzip);
  ASSERT_TRUE(file);
  (*file)->append(large);
  ASSERT_TRUE((*file)->finish());
  gzFile read = ::gzopen(path.c_str(), "rb");
  std::string content(large.size() + 1, '\0');
  EXPECT_EQ(::gzread(read, content.data(), static_cast<unsigned>(content.size())), static_cast<int>(large.size()));
  EXPECT_EQ(content.substr(0, large.size()), large);
  ::gzclose(read);
}

TEST(OutputFile, WhatCannotBeWrittenIsSaid) {
  auto full = OutputFile::create("/dev/full");
  ASSERT_TRUE(full);
  (*full)->append("x");
  const auto bytes = (*full)->finish();
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().kind, ErrorKind::kResource);
  EXPECT_EQ(OutputFile::create("/proc/none/file").error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace aaco
