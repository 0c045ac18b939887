// SPDX-License-Identifier: MIT
// The kinds of databases that can be read, a file each.
#pragma once

#include "ingest/sqlite/sqlite_format.h"

namespace aaco {

extern const SqliteFormat kNsysFormat;
extern const SqliteFormat kRocpdFormat;
extern const SqliteFormat kRpdFormat;
extern const SqliteFormat kRocprofV1Format;
extern const SqliteFormat kRocprofComputeFormat;

}  // namespace aaco
