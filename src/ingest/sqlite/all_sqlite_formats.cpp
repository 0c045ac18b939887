// SPDX-License-Identifier: MIT
#include "ingest/sqlite/formats.h"

namespace aaco {

namespace {

// In the order in which they are tried.
constexpr const SqliteFormat* kFormats[] = {&kNsysFormat, &kRocpdFormat, &kRpdFormat, &kRocprofV1Format,
                                            &kRocprofComputeFormat};

}  // namespace

std::span<const SqliteFormat* const> all_sqlite_formats() { return kFormats; }

}  // namespace aaco
