// SPDX-License-Identifier: MIT
// Files that are made beside their target, so that a rename puts them into its place; files that must not be written
// because they are read; and what a killed process left of either, told from what one that runs still uses: an owner
// holds a lock (flock) on what it made, which the kernel drops with the process, across containers too, where a process
// id would say nothing. Locks do not cross every shared file system: names carry a mark of the machine and its boot,
// and what another machine made stays.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace aaco {

struct NewFile {
  std::filesystem::path path;
  int descriptor = -1;  // the caller closes it
};

// "PATH.tmp" and random characters: nobody can put a link there beforehand.
std::filesystem::path temporary_name(const std::filesystem::path& path);

// An empty file beside `path`, which was not there before; links are not followed. `access`: O_WRONLY or O_RDWR; one of
// O_WRONLY is locked, so that the next one of the same `path` removes it where its process was killed. Another library
// that opens the descriptor's file again (O_RDWR) may not find it locked: some file systems would keep it out.
// Errors: as of file_error, naming `path`.
Result<NewFile> make_file_beside(const std::filesystem::path& path, int access);

// Eight hexadecimal digits of this machine since its start; empty where /proc does not tell.
std::string machine_mark();

// For as long as the descriptor of `path` is open. False where somebody took it for a dead owner's and removes it.
// Where the file system has no locks nobody can take them, so that nobody removes it either.
bool lock_as_owner(int descriptor, const std::filesystem::path& path);

// Removes the folders of `parent` whose name is `prefix`, this machine's mark, "-" and any end; those only that are
// this user's and that nobody has locked. Links are not followed.
void remove_dead_folders(const std::filesystem::path& parent, std::string_view prefix);

// Likewise the files that were to become `target`: its name, ".tmp", this machine's mark and any end.
void remove_dead_files(const std::filesystem::path& target);

// Errors: kUsage where `output` is one of `inputs` by another name or the same; not for what is no regular file.
Result<void> expect_no_input(const std::filesystem::path& output, std::span<const std::filesystem::path> inputs);

}  // namespace aaco
