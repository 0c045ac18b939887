// SPDX-License-Identifier: MIT
// What ended a run that ended by itself, as its reports say it.
#pragma once

#include "record/until.h"
#include "report/headline/headline.h"

namespace aaco::report {

// Into the headline's quality: a target that was not reached is a doubt, whatever else is complete.
void put_until(const UntilFacts& facts, Headline& headline);

}  // namespace aaco::report
