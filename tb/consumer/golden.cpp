// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster::golden, and muster::isa below it.
#include <cstdio>
#include <string>

#include "sim/golden/model.h"
#include "sim/isa/config.h"

int main() {
  const muster::golden::Model model(*muster::FindConfig("small"));
  const std::string idle = model.Describe(0, 1);
  std::puts(idle.c_str());
  return idle.find("barrier 1 of CTA 0") == std::string::npos;
}
