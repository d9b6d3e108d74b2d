// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster::tlm: a CTA of two warps meets at a barrier.
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdio>
#include <systemc>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/tlm/barrier_extension.h"
#include "sim/tlm/barrier_unit.h"

namespace {

class Core : public sc_core::sc_module {
 public:
  explicit Core(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {}

  // The warps that the operation releases.
  unsigned Releases(const muster::Operation& operation) {
    muster::tlm::BarrierTransaction transaction;
    transaction.extension().Add(operation);
    sc_core::sc_time delay;
    socket->b_transport(transaction.Prepared(), delay);
    return transaction.ok() ? transaction.extension().effects()->released : 0;
  }

  tlm_utils::simple_initiator_socket<Core> socket;
};

muster::Operation Sync(unsigned warp) {
  muster::Operation sync;
  sync.kind = muster::OpKind::kSync;
  sync.warp = warp;
  sync.lanes = 0xffffffff;
  return sync;
}

}  // namespace

int sc_main(int, char**) {
  muster::tlm::BarrierUnit unit("unit", *muster::FindConfig("small"));
  Core core("core");
  core.socket.bind(unit.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  muster::Operation launch;
  launch.kind = muster::OpKind::kLaunch;
  launch.size = 2;
  launch.warps = 3;
  core.Releases(launch);
  const unsigned first = core.Releases(Sync(0));
  const unsigned second = core.Releases(Sync(1));
  std::printf("released: %#x, then %#x\n", first, second);
  return first != 0 || second != 3;
}
