// SPDX-License-Identifier: MIT
// Who may see the pages. The token stands in the address that is printed; whoever opens that gets a cookie for it. A
// foreign page has neither: its requests are refused by their Host, their Origin, or for want of the cookie.
#pragma once

#include <optional>
#include <string>

#include "base/http/http_message.h"
#include "base/result.h"

namespace aaco::serve {

struct PageAccess {
  std::string token;
  std::string cookie;         // its name; with the port, since browsers give cookies to all ports
  bool loopback_only = true;  // the Host header must name the loopback
};

// 32 hexadecimal digits from the system's random numbers. Errors: kResource.
Result<std::string> make_token();

// The answer that is given in place of a page: a refusal, or the way from the printed address to the page.
std::optional<HttpResponse> answer_for_access(const HttpRequest& request, const PageAccess& access);

}  // namespace aaco::serve
