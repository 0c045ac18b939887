// SPDX-License-Identifier: MIT
// Where in the model the time is: nodes under the modules that their names tell ("/layer4/layer4.0/conv1/Conv").
#pragma once

#include <vector>

#include "record/rows.h"
#include "report/plot/chart.h"

namespace aaco::report {

// Of nodes whose time is known. Where no name tells a module, nodes stand under their operator. Without data where
// there is no time.
plot::Chart node_flame_graph(const std::vector<OpKernelRow>& ops);

}  // namespace aaco::report
