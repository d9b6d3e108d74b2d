// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The adapter of the example, right and with faults put in.
#ifndef MUSTER_TB_ADAPTERS_EXAMPLE_EXAMPLE_H_
#define MUSTER_TB_ADAPTERS_EXAMPLE_EXAMPLE_H_

#include <memory>
#include <string>
#include <vector>

#include "tb/adapters/adapter.h"

namespace muster::adapters {

struct ExampleFault {
  std::string
      name;  // the number in the list of faults in README.md, and a letter where there are several
  std::string text;
};
const std::vector<ExampleFault>& ExampleFaults();  // the first one: none

// `fault`: a place in that list.
std::unique_ptr<Adapter> MakeExample(unsigned fault);

}  // namespace muster::adapters

#endif  // MUSTER_TB_ADAPTERS_EXAMPLE_EXAMPLE_H_
