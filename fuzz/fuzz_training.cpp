// SPDX-License-Identifier: MIT
// Any bytes are a training's document, or a study's, or are refused with where and what to do. What is one is written
// as what it was read from, and figures, rooflines, ladders and rows of a study follow from it without a crash.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "input_file.h"
#include "kind/sweep/training_study.h"
#include "kind/training/document/training_ladder.h"
#include "kind/training/document/training_roofline.h"

namespace {

using aaco::Json;
using aaco::fuzz::require;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

template <class Document>
void check(const aaco::Result<Document>& read, aaco::Result<Document> (*again)(const Json&, std::string_view)) {
  if (!read) {
    require(read.error().message.starts_with("input: ") && !read.error().hint.empty());
    return;
  }
  const Json written = Json(*read);
  const auto second = again(aaco::parse_json(text_of(written), "input").value(), "input");
  require(second.has_value() && text_of(Json(*second)) == text_of(written));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto json = aaco::parse_json({reinterpret_cast<const char*>(data), size}, "input");
  if (!json) {
    return 0;
  }
  const auto run = aaco::read_training_run(*json, "input");
  check(run, aaco::read_training_run);
  if (run) {
    aaco::training_figures(run->work, run->processes, run->roof);
    aaco::step_roofline(*run);
    aaco::training_ladder({*run, *run});
  }
  check(aaco::read_training_study(*json, "input"), aaco::read_training_study);
  return 0;
}
