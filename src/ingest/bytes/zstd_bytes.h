// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <string>

#include "ingest/bytes/byte_source.h"

namespace aaco {

// Whether a file begins as one that zstd compressed.
bool is_zstd(std::span<const unsigned char> head);

// What `compressed` yields, decompressed as it is read: all its frames, one behind the other. `name`: in errors, which
// are kUsage where the data are damaged, end early or need a window of more than 128 MiB.
std::unique_ptr<ByteSource> zstd_bytes(std::unique_ptr<ByteSource> compressed, std::string name);

}  // namespace aaco
