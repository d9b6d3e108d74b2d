// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Judges the ends of orders by the manifest. Knows nothing of how orders are found.
#ifndef MUSTER_SIM_APP_JUDGE_H_
#define MUSTER_SIM_APP_JUDGE_H_

#include <vector>

#include "sim/app/explore.h"
#include "sim/explore/explorer.h"
#include "sim/explore/world.h"
#include "sim/ptx/launch/session.h"

namespace muster::app {

class Judge {
 public:
  // `first`: the buffers after the first order, and which of their bytes are unknown, if the
  // manifest expects none. It is written if it is empty.
  Judge(const ptx::Session& session, Contents* first) : session_(session), first_(*first) {}

  std::vector<explore::BadEnd> operator()(const explore::World& world);

 private:
  void JudgeBuffers(const explore::World& world, std::vector<explore::BadEnd>* bad) const;

  const ptx::Session& session_;
  Contents& first_;
};

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_JUDGE_H_
