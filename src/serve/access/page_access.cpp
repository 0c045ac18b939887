// SPDX-License-Identifier: MIT
#include "serve/access/page_access.h"

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <string_view>
#include <sys/random.h>

#include "base/http/http_access.h"
#include "base/process/limit_error.h"
#include "serve/wire/answer.h"
#include "serve/wire/request_path.h"

namespace aaco::serve {

namespace {

constexpr std::string_view kBearer = "Bearer ";

std::string cookie_of(const HttpRequest& request, const std::string& name) {
  const std::string header = request.header("cookie");
  size_t at = 0;
  while (at < header.size()) {
    const size_t end = std::min(header.find_first_of(";,", at), header.size());
    std::string_view pair = std::string_view(header).substr(at, end - at);
    pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=') {
      return std::string(pair.substr(name.size() + 1));
    }
    at = end + 1;
  }
  return "";
}

bool knows_token(const HttpRequest& request, const PageAccess& access) {
  const std::string authorization = request.header("authorization");
  return is_same_secret(cookie_of(request, access.cookie), access.token) ||
         (authorization.starts_with(kBearer) && is_same_secret(authorization.substr(kBearer.size()), access.token));
}

HttpResponse refusal(int status, const std::string& error, const std::string& hint) {
  return error_answer(status, error, hint);
}

}  // namespace

Result<std::string> make_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return limit_error("get random numbers for a token", errno);
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    token += fmt::format("{:02x}", byte);
  }
  return token;
}

std::optional<HttpResponse> answer_for_access(const HttpRequest& request, const PageAccess& access) {
  const std::string host = request.header("host");
  if (access.loopback_only &&
      (!is_loopback_name(host) || (!request.authority.empty() && !is_loopback_name(request.authority)))) {
    return refusal(421, "this server answers requests to localhost, 127.0.0.1 and [::1] only",
                   "open the address that aaco serve printed");
  }
  if (const std::string origin = request.header("origin"); !origin.empty() && origin != "http://" + host) {
    return refusal(403, "a page of another origin asks", "open the address that aaco serve printed");
  }
  if (request.path == "/" && request.method == "GET") {
    if (const std::optional<std::string> token = query_value(request.query, "token");
        token && is_same_secret(*token, access.token)) {
      return HttpResponse{.status = 303,
                          .body = "",
                          .headers = {{"Location", "/"},
                                      {"Referrer-Policy", "no-referrer"},
                                      {"Set-Cookie", fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/",
                                                                 access.cookie, access.token)}}};
    }
  }
  if (!knows_token(request, access)) {
    return refusal(401, "this server wants its token", "open the address that aaco serve printed, with its token");
  }
  return std::nullopt;
}

}  // namespace aaco::serve
