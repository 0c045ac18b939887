// SPDX-License-Identifier: MIT
// Files that are made beside their target, so that a rename puts them into its place; and files that must not be
// written because they are read.
#pragma once

#include <filesystem>
#include <span>

#include "base/result.h"

namespace aaco {

struct NewFile {
  std::filesystem::path path;
  int descriptor = -1;  // the caller closes it
};

// "PATH.tmp" and random characters: nobody can put a link there beforehand.
std::filesystem::path temporary_name(const std::filesystem::path& path);

// An empty file beside `path`, which was not there before; links are not followed. `access`: O_WRONLY or O_RDWR.
// Errors: as of file_error, naming `path`.
Result<NewFile> make_file_beside(const std::filesystem::path& path, int access);

// Errors: kUsage where `output` is one of `inputs` by another name or the same; not for what is no regular file.
Result<void> expect_no_input(const std::filesystem::path& output, std::span<const std::filesystem::path> inputs);

}  // namespace aaco
