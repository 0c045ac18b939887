// SPDX-License-Identifier: MIT
#include "serve/wire/request_path.h"

#include <gtest/gtest.h>

namespace aaco::serve {
namespace {

TEST(RequestPath, NothingLeadsOutOfIt) {
  using Steps = std::vector<std::string>;
  EXPECT_EQ(path_steps("/api/session/a%20b/report"), (Steps{"api", "session", "a b", "report"}));
  EXPECT_EQ(path_steps("/"), Steps{""});
  for (const char* path : {"", "api", "/api/../x", "/api/%2e%2E/x", "/api//x", "/api/a%2fb", "/api/%", "/api/%4",
                           "/api/%zz", "/api/a%00b", "/./api"}) {
    EXPECT_FALSE(path_steps(path)) << path;
  }
}

TEST(RequestPath, ValuesAreDecoded) {
  EXPECT_EQ(query_value("a=1&q=x%2By+z&b", "q"), "x+y z");
  EXPECT_FALSE(query_value("aq=1", "q"));
  EXPECT_EQ(query_number("from=-5", "from", -10, 10), -5);
  EXPECT_FALSE(query_number("from=11", "from", -10, 10));
  EXPECT_FALSE(query_number("from=5x", "from", -10, 10));
  EXPECT_FALSE(query_number("from=99999999999999999999", "from", INT64_MIN, INT64_MAX));
}

}  // namespace
}  // namespace aaco::serve
