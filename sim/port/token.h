// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The token of each lane that a response answers. The response has the token of the first lane;
// each further lane's token is the word after one more update (rtl/mbarrier/README.md, "Tokens are
// affine").
#ifndef MUSTER_SIM_PORT_TOKEN_H_
#define MUSTER_SIM_PORT_TOKEN_H_

#include <cstdint>

#include "sim/isa/mbarrier_word.h"
#include "sim/port/pins.h"

namespace muster::lockstep {

// `index`: which of the lanes, from 0, in lane order.
constexpr std::uint64_t TokenOf(const MbOutputs::Response& response, unsigned index) {
  MbWord word = DecodeMbWord(response.token, true);  // bit 0 of a token means nothing else
  const std::uint64_t stray = response.token & ~Encode(word);  // which a unit leaves out
  const bool expects = ExpectsTx(response.op);
  const std::uint32_t count = index * (expects ? 1 : response.operand);
  word.pending -= count;
  if (IsDrop(response.op)) {
    word.expected -= count;
  }
  if (expects) {
    word.tx += std::int64_t{index} * response.operand;
  }
  return Encode(word) | stray;
}

// The report that a wait for a primary phase is given, if it is answered true.
constexpr MbReport ReportOf(const MbOutputs::Response& response) {
  return DecodeMbWord(response.token, true).last;
}

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_PORT_TOKEN_H_
