// SPDX-License-Identifier: MIT
// A configuration of `aaco overlap`, from a YAML file and overrides: every key does what it says, is noted to have no
// effect, or is refused with the place where it stands and the reason. Nothing is passed over.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/sharded/config/sharded_run_config.h"

namespace aaco::sharded {

struct ConfigReading {
  ShardedRunConfig config;
  std::vector<std::string> notes;  // keys that were given and have no effect, each with the reason
};

// As it is named; where nothing is there, one of the installation's: "configs/overlap/default.yaml", "default".
std::filesystem::path scenario_file(const std::filesystem::path& named);

// Of scenario_file(). Without a file: the defaults, and what the overrides say. Errors: those of reading the file;
// kUsage as "default.yaml:12:3: what" for the first thing that is wrong, the others named in the hint.
Result<ConfigReading> read_sharded_run_config(const std::filesystem::path& file,
                                              const std::vector<std::string>& overrides);
// The same of a text, which `source` names.
Result<ConfigReading> read_sharded_run_config_text(std::string_view text, const std::string& source,
                                                   const std::vector<std::string>& overrides);

// The first of them, the others in its hint: a file is put right in one go. `refusals` has one or more.
Error refusal_of(const std::vector<Error>& refusals);

// Every key with its default and what it means, for `aaco overlap keys`.
Json sharded_run_config_keys();

}  // namespace aaco::sharded
