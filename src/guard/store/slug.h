// SPDX-License-Identifier: MIT
// Names that stand in the name of a folder and in SQL as they are.
#pragma once

#include <string>
#include <string_view>

namespace aaco {

// Letters, digits, '.', '_', '+' and '-' stay, each run of others becomes one '-'. At most 64 characters: a longer text
// is cut and has eight hexadecimal digits of its hash behind it. "unknown" of a text without any.
std::string slug_of(std::string_view text);

// The same of a subject, where no two texts may give one: a text that is no slug, or that ends like one with a hash,
// has ten digits of its hash behind it. "a-b" of "a-b", "a-b-c14cddc033" of "a/b".
std::string subject_slug(std::string_view text);

// Whether `text` means the subject of this slug: it is the subject's name, or the slug, as aaco prints it.
bool names_subject(std::string_view text, std::string_view slug);

}  // namespace aaco
