// SPDX-License-Identifier: MIT
// What somebody meant who wrote a name that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aaco {

// Of `known` the first that begins with `word`, else the first that contains it, else the one that the fewest edits
// (Levenshtein) lead to, where those are at most half of the word's letters; "" where none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

// "did you mean resnet50? " to put before the rest of a hint; "" where none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace aaco
