// SPDX-License-Identifier: MIT
// Compiled once for ingest: simdjson takes a second in each file that includes it.
#include <simdjson.h>

#include "precompiled.h"
