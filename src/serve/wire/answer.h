// SPDX-License-Identifier: MIT
// Answers of the API, with the headers that every answer has.
#pragma once

#include <string>

#include "base/http/http_message.h"
#include "base/json/json_fwd.h"
#include "base/result.h"

namespace aaco::serve {

HttpResponse json_answer(const Json& json);
HttpResponse text_answer(std::string text, std::string content_type);
// {"error": ..., "hint": ...}
HttpResponse error_answer(int status, const std::string& error, const std::string& hint);
// By the error's kind: 400, 503 (not available here), 422 (invalid), 507 (resources), 500.
HttpResponse error_answer(const Error& error);

}  // namespace aaco::serve
