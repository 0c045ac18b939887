// SPDX-License-Identifier: MIT
// How much a trace is, before it is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace aaco {

// Of files, and of folders with what lies below them, inflated. Of gzip it is what the last member says of itself, of
// zstd the first frame: too little where there are several or gzip holds 4 GiB, but no less than the file. What cannot
// be read counts nothing.
uint64_t likely_bytes(std::span<const std::filesystem::path> paths);

}  // namespace aaco
