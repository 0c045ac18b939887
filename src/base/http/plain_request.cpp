// SPDX-License-Identifier: MIT
#include "base/http/plain_request.h"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <cctype>
#include <string>
#include <utility>

namespace aaco {

namespace {

namespace beast = boost::beast;
namespace http = beast::http;

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

// The authority off the front of a target in absolute form, which leaves its path; empty for any other target.
std::string take_authority(std::string& target) {
  constexpr std::string_view kScheme = "http://";
  if (!beast::iequals(beast::string_view(target).substr(0, kScheme.size()), {kScheme.data(), kScheme.size()})) {
    return "";
  }
  const size_t end = std::min(target.find_first_of("/?", kScheme.size()), target.size());
  std::string authority = target.substr(kScheme.size(), end - kScheme.size());
  if (!authority.empty()) {
    target.erase(0, end);
    target.insert(0, target.starts_with('/') ? "" : "/");
  }
  return authority;
}

}  // namespace

HttpRequest plain_request(const http::request<http::string_body>& request) {
  HttpRequest plain;
  plain.method = text_of(request.method_string());
  std::string target = text_of(request.target());
  plain.authority = take_authority(target);
  const size_t mark = target.find('?');
  plain.path = target.substr(0, mark);
  plain.query = mark == std::string::npos ? "" : target.substr(mark + 1);
  for (const auto& field : request) {
    std::string name = text_of(field.name_string());
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    plain.headers.emplace_back(std::move(name), text_of(field.value()));
  }
  plain.body = request.body();
  return plain;
}

}  // namespace aaco
