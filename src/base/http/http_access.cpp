// SPDX-License-Identifier: MIT
#include "base/http/http_access.h"

#include <algorithm>
#include <fmt/format.h>
#include <openssl/crypto.h>

#include "base/files/file.h"

namespace aaco {

namespace {

constexpr size_t kLeastTokenBytes = 16;
constexpr size_t kMostTokenBytes = 1024;
constexpr std::string_view kScheme = "bearer ";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
  return result;
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t start = text.find_first_not_of(kBlanks);
  return start == std::string_view::npos ? std::string_view()
                                         : text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

constexpr size_t kMostPortDigits = 5;

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= kMostPortDigits &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

// Whatever its port: a tunnel (ssh -L) ends at another one.
bool is_loopback_name(std::string_view host) {
  const size_t port = host.rfind(':');
  const size_t bracket = host.rfind(']');
  const bool has_port = port != std::string_view::npos && (bracket == std::string_view::npos || port > bracket);
  if (has_port && !is_port(host.substr(port + 1))) {
    return false;
  }
  const std::string name = lower(has_port ? host.substr(0, port) : host);
  return name == "localhost" || name == "127.0.0.1" || name == "[::1]";
}

std::string HttpRequest::header(std::string_view name) const {
  std::string joined;
  for (const auto& [key, value] : headers) {
    if (key == name) {
      joined += (joined.empty() ? "" : ",") + value;
    }
  }
  return joined;
}

bool is_same_secret(const std::string& a, const std::string& b) {
  return a.size() == b.size() && ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::optional<HttpResponse> refuse_client(const HttpRequest& request, const HttpAccess& access) {
  const std::string host = request.header("host");
  if (host.empty()) {
    return HttpResponse{.status = 400, .body = "the request has no Host header\n", .headers = {}};
  }
  if (access.by_handler) {
    return std::nullopt;
  }
  // A foreign page that knows the token needs no rebinding, and one that does not is refused by it. So the name that
  // the machine has in its network is free.
  if (access.token.empty()) {
    if (!is_loopback_name(host) || (!request.authority.empty() && !is_loopback_name(request.authority))) {
      return HttpResponse{.status = 421,
                          .body = "this server answers requests to localhost, 127.0.0.1 and [::1] only\n",
                          .headers = {}};
    }
    return std::nullopt;
  }
  const std::string authorization = request.header("authorization");
  const bool has_scheme = authorization.size() > kScheme.size() &&
                          lower(std::string_view(authorization).substr(0, kScheme.size())) == kScheme;
  if (!has_scheme ||
      !is_same_secret(std::string(without_blanks(std::string_view(authorization).substr(kScheme.size()))),
                      access.token)) {
    return HttpResponse{.status = 401,
                        .body = "this server wants its token: Authorization: Bearer TOKEN\n",
                        .headers = {{"WWW-Authenticate", "Bearer realm=\"aaco\""}}};
  }
  return std::nullopt;
}

Result<std::string> read_token(const std::filesystem::path& path) {
  AACO_ASSIGN(const std::string content, read_file(path));
  const std::string token(without_blanks(std::string_view(content).substr(0, content.find('\n'))));
  const bool printable = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (token.size() < kLeastTokenBytes || token.size() > kMostTokenBytes || !printable) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: no token: its first line must have {} to {} printable characters without blanks",
                             path.string(), kLeastTokenBytes, kMostTokenBytes),
                 "make one: openssl rand -hex 32 >" + path.string()};
  }
  return token;
}

}  // namespace aaco
