// SPDX-License-Identifier: MIT
// A request as Boost.Beast parsed it, in the form that handlers get.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/http/http_message.h"

namespace aaco {

HttpRequest plain_request(const boost::beast::http::request<boost::beast::http::string_body>& request);

}  // namespace aaco
