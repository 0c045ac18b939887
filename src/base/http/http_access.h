// SPDX-License-Identifier: MIT
// Who may ask. A server on the loopback answers whoever runs on this machine, and refuses a browser that a foreign page
// leads there under another name (DNS rebinding). A server on another address answers only who knows its token.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/http/http_message.h"
#include "base/result.h"

namespace aaco {

// What every request must bring as "Authorization: Bearer TOKEN". Empty: nothing, and the Host header has to be a name
// of the loopback.
struct HttpAccess {
  std::string token;
  bool by_handler = false;  // the handler itself says who may ask, on any address
};

// The refusal; none where the client may ask.
std::optional<HttpResponse> refuse_client(const HttpRequest& request, const HttpAccess& access);

// The file's first line without blanks at its ends. Errors: kUsage naming the file where it cannot be read, or holds no
// 16 to 1024 printable characters without blanks between them.
Result<std::string> read_token(const std::filesystem::path& path);

// Whether a Host header names the loopback, at whatever port.
bool is_loopback_name(std::string_view host);

// Takes as long for any text of the same length, so that the time tells nothing of the token.
bool is_same_secret(const std::string& a, const std::string& b);

}  // namespace aaco
