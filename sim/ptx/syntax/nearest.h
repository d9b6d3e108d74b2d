// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Which of several words was meant by one that is none of them.
#ifndef MUSTER_SIM_PTX_SYNTAX_NEAREST_H_
#define MUSTER_SIM_PTX_SYNTAX_NEAREST_H_

#include <string>
#include <string_view>
#include <vector>

namespace muster::ptx {

// Returns the word that differs least from this one: by at most two letters that are added, left
// out, other or exchanged with the next, and by fewer than half of them. Empty: there is none.
std::string Nearest(std::string_view word, const std::vector<std::string>& words);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SYNTAX_NEAREST_H_
