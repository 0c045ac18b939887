// SPDX-License-Identifier: MIT
// Files read and written whole, with errors that name the file and the reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace aaco {

// Errors: kUsage when it cannot be opened or read, is no regular file (a pipe, a device), or is larger than
// `limit_bytes`.
Result<std::string> read_file(const std::filesystem::path& path, uint64_t limit_bytes = uint64_t{1} << 32);

// Writes to a temporary file in the same folder, syncs and renames. A full disk is kResource naming the file; the
// target then keeps its old content and no temporary file stays.
Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content);

// mkdir -p. kUsage when a component is not writable or not a folder, kResource on a full disk.
Result<void> make_folders(const std::filesystem::path& path);

// The error for a failed system call on `path`, with errno decoded: ENOSPC, EDQUOT, EFBIG and EIO are kResource, all
// else kUsage.
Error file_error(const std::filesystem::path& path, std::string_view action, int error_number);

// `source` as gzip in `target`, in pieces; `source` stays. Errors: kUsage or kResource naming the file; no `target`
// then.
Result<void> gzip_file(const std::filesystem::path& source, const std::filesystem::path& target);

// Lower-case hex SHA-256 of the file's content, read in pieces.
Result<std::string> sha256_of_file(const std::filesystem::path& path);
std::string sha256_of(std::string_view content);

// Folder of the running program; where configs/ and lib/ are looked for.
std::filesystem::path program_folder();

}  // namespace aaco
