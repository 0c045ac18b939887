// SPDX-License-Identifier: MIT
// What the documents of all sweeps have in common: how they begin, and that they list what was run.
#pragma once

#include <string>
#include <string_view>

#include "base/json/json_fwd.h"
#include "base/result.h"

namespace aaco {

// What tells the documents of one kind of sweep from those of another.
struct SweepForm {
  const char* kind;       // the word in the document
  const char* command;    // that writes it
  const char* list;       // the key of what was run
  bool was_bare = false;  // 0.1.0 wrote it without its kind, or without some of SweepHead
};

struct SweepHead {
  std::string version;  // of the program
  std::string created_utc;
  std::string bundle;
};

Json sweep_json(const SweepForm& form, const SweepHead& head);

// Into `head`. Errors: as damaged_sweep, of a document of another kind, or one without its list.
Result<void> read_sweep_head(const Json& json, const SweepForm& form, std::string_view source, SweepHead& head);

// kUsage naming `source`.
Error damaged_sweep(std::string_view source, const SweepForm& form, std::string_view what);

}  // namespace aaco
