// SPDX-License-Identifier: MIT
#include "session/parquet/duckdb_library.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace aaco {
namespace {

// Of the library's code and constants, as the kernel counts them.
int64_t resident_kb(const std::string& library) {
  std::ifstream file("/proc/self/smaps");
  int64_t sum_kb = 0;
  bool counts = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    std::string second;
    words >> first >> second;
    if (first.find('-') != std::string::npos && first.back() != ':') {
      counts = line.ends_with(library) && second[1] == '-';
    } else if (counts && first == "Rss:") {
      sum_kb += std::stoll(second);
    }
  }
  return sum_kb;
}

bool answers(const DuckDbDatabase& database) {
  duckdb_result result{};
  const bool answered = database.api().query(database.connection(), "SELECT 42", &result) == DuckDBSuccess;
  database.api().destroy_result(&result);
  return answered;
}

TEST(DuckDbLibrary, CodeIsGivenBackAndComesBackAsItIsUsed) {
  const auto database = DuckDbDatabase::open();
  ASSERT_TRUE(database) << database.error().message;
  const std::string library = database->api().library.filename();
  const int64_t opened_kb = resident_kb(library);
  ASSERT_TRUE(answers(*database));
  const int64_t used_kb = resident_kb(library);
  EXPECT_LT(opened_kb, used_kb / 4);
  database->give_back_code();
  EXPECT_LT(resident_kb(library), used_kb / 4);
  EXPECT_TRUE(answers(*database));
  EXPECT_GT(resident_kb(library), 0);
}

}  // namespace
}  // namespace aaco
