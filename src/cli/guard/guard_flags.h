// SPDX-License-Identifier: MIT
// What the subcommands of `aaco guard` have in common: where the store is, and what is measured.
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"

#include "guard/judgement/check_request.h"
#include "guard/store/guard_store.h"

namespace aaco {

struct GuardFlags {
  CheckRequest request;
  std::string session;               // "": not a session
  std::vector<std::string> values;   // NAME=NUMBER
  std::vector<std::string> rates;    // likewise, more is better
  std::vector<std::string> command;  // behind --
};

cli::Option add_store_flag(cli::Command command, std::string& folder);
// Flags of what is measured, and of how it is labelled.
void add_guard_subject(cli::Command command, GuardFlags& flags);

// What is measured must be one of the three. Errors: kUsage.
Result<void> expect_one_subject(const GuardFlags& flags);
Result<std::vector<GivenValue>> given_values(const GuardFlags& flags);

// Keeps a recording, and warns of one that can be no baseline and of those that were damaged. Errors: as
// GuardStore::append and compact.
Result<void> keep_recording(const GuardStore& store, const GuardEntry& entry);

}  // namespace aaco
