// SPDX-License-Identifier: MIT
// Any bytes as a request to the server of the pages: it is refused, or comes from who knows the token, by a name of the
// loopback. No step of a path leads out of a folder, and every refusal is an error in JSON.
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/http/http_access.h"
#include "base/http/plain_request.h"
#include "base/json/json.h"
#include "input_file.h"
#include "serve/access/page_access.h"
#include "serve/wire/request_path.h"
#include "serve/wire/sql_question.h"

namespace {

namespace http = boost::beast::http;

constexpr const char* kToken = "0123456789abcdef";

void judge_refusal(const aaco::HttpResponse& refusal) {
  if (refusal.status == 303) {
    return;  // the way from the printed address to the page
  }
  const auto body = aaco::parse_json(refusal.body, "refusal");
  aaco::fuzz::require(refusal.status >= 400 && body && body->contains("error") && body->contains("hint"));
}

void judge_path(const aaco::HttpRequest& request) {
  if (const auto steps = aaco::serve::path_steps(request.path)) {
    for (const std::string& step : *steps) {
      aaco::fuzz::require(step != "." && step != ".." && step.find('/') == std::string::npos &&
                          step.find('\0') == std::string::npos);
    }
  }
  for (const char* name : {"a", "b", "q", "from", "to", "width", "tracks", "limit"}) {
    const auto value = aaco::serve::query_value(request.query, name);
    const auto number = aaco::serve::query_number(request.query, name, -5, 1000);
    aaco::fuzz::require(!number || (value && *number >= -5 && *number <= 1000));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  http::request_parser<http::string_body> parser;
  parser.header_limit(8192);
  parser.body_limit(65'536);
  parser.eager(true);
  boost::system::error_code error;
  parser.put(boost::asio::buffer(data, size), error);
  if (error || !parser.is_done()) {
    return 0;
  }
  const aaco::HttpRequest request = aaco::plain_request(parser.get());
  (void)aaco::refuse_client(request, {});
  const aaco::serve::PageAccess access{kToken, "aaco_token_80", true};
  if (const auto answer = aaco::serve::answer_for_access(request, access)) {
    judge_refusal(*answer);
  } else {
    aaco::fuzz::require(aaco::is_loopback_name(request.header("host")));
    aaco::fuzz::require((request.header("cookie") + request.header("authorization")).find(kToken) != std::string::npos);
  }
  judge_path(request);
  const auto question = aaco::serve::read_sql_question(request.body, 10, 100);
  aaco::fuzz::require(!question || (question->limit >= 0 && question->limit <= 100 && !question->statement.empty()));
  return 0;
}
