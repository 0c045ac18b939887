// SPDX-License-Identifier: MIT
// Any bytes are the lines of two ranks (parted at the first 0xff), or are refused with file and line. What is read is
// compared with itself and printed without a crash: each figure is a number or none, and nothing changed.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/json/json.h"
#include "input_file.h"
#include "kind/sharded/logs/sharded_logs.h"

namespace {

using aaco::fuzz::require;

const std::filesystem::path& folder() {
  static const aaco::TemporaryFolder kFolder = aaco::TemporaryFolder::create().value();
  return kFolder.path();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t middle = std::min(text.find('\xff'), size);
  const std::string_view second = middle < size ? text.substr(middle + 1) : "";
  require(aaco::write_file_atomically(folder() / "rank_00_metrics.jsonl", text.substr(0, middle)).has_value());
  require(aaco::write_file_atomically(folder() / "rank_01_metrics.jsonl", second).has_value());
  const std::string name = folder().string();
  const auto logs = aaco::imports::read_labelled_logs({name, name, name, name, name, name},
                                                      {"a", "a", "a", "b", "b", "b"}, size % 2 == 0 ? 0 : 1);
  if (!logs) {
    require(logs.error().message.starts_with(name) && !logs.error().hint.empty());
    return 0;
  }
  for (const aaco::imports::LogChange& change : aaco::imports::log_changes((*logs)[0], (*logs)[1])) {
    require(!std::isfinite(change.ratio) || change.ratio == 1);
  }
  aaco::imports::sharded_logs_json(*logs).dump(-1, ' ', false, aaco::Json::error_handler_t::replace);
  aaco::imports::sharded_logs_text(*logs);
  return 0;
}
