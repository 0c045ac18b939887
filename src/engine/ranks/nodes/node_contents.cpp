// SPDX-License-Identifier: MIT
#include "engine/ranks/nodes/node_contents.h"

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "engine/spawn.h"

namespace aaco {

namespace {

struct EndText {
  int64_t exit_code = 0;
  std::string message;
  std::string hint;
  bool died = false;
};

AACO_JSON_FIELDS(EndText, exit_code, message, hint, died)

}  // namespace

AACO_JSON_FIELDS(NodeFacts, first_rank, local_ranks, ranks, devices)

std::string text_of_end(const Result<Json>& end, bool died) {
  if (end) {
    return json_text(Json{{"result", *end}});
  }
  return json_text(Json{{"error", EndText{end.error().exit_code(), end.error().message, end.error().hint, died}}});
}

Result<Json> end_of_text(const std::string& text, bool* died) {
  const Error no_end{ErrorKind::kResource, "another node sent what is no end of a rank", "run it again"};
  auto json = parse_own_json(text, "the end of a rank");
  if (!json || !json->is_object()) {
    return no_end;
  }
  if (json->contains("result")) {
    return Result<Json>(Json(std::move((*json)["result"])));
  }
  if (!json->contains("error")) {
    return no_end;
  }
  const auto error = from_json_value<EndText>((*json)["error"], "the end of a rank");
  if (error && died != nullptr) {
    *died = error->died;
  }
  return error && !error->message.empty()
             ? Error{kind_of_exit_code(static_cast<int>(error->exit_code)), error->message, error->hint}
             : no_end;
}

}  // namespace aaco
