// SPDX-License-Identifier: MIT
#include "serve/wire/answer.h"

#include <utility>

#include "base/json/json.h"
#include "base/json/json_text.h"

namespace aaco::serve {

namespace {

// Nothing that is not from here, and no script or style within a document.
const HttpHeaders kPolicy{
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
     "font-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Frame-Options", "DENY"},
    {"Cross-Origin-Resource-Policy", "same-origin"}};

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return 400;
    case ErrorKind::kUnavailable:
      return 503;
    case ErrorKind::kInvalid:
    case ErrorKind::kPartial:
      return 422;
    case ErrorKind::kResource:
      return 507;
    case ErrorKind::kInterrupted:
      return 503;
    case ErrorKind::kBug:
      break;
  }
  return 500;
}

}  // namespace

HttpResponse text_answer(std::string text, std::string content_type) {
  return {.status = 200, .content_type = std::move(content_type), .body = std::move(text), .headers = kPolicy};
}

HttpResponse json_answer(const Json& json) { return text_answer(json_text(json), "application/json"); }

HttpResponse error_answer(int status, const std::string& error, const std::string& hint) {
  HttpResponse response = json_answer({{"error", error}, {"hint", hint}});
  response.status = status;
  return response;
}

HttpResponse error_answer(const Error& error) { return error_answer(status_of(error.kind), error.message, error.hint); }

}  // namespace aaco::serve
