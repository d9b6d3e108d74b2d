// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The golden model behind its TLM-2.0 socket: a batch a transport, annotated time, refused
// payloads.
#include "sim/golden/golden_tlm.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <systemc>
#include <tlm>

#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/operation.h"

namespace muster::golden {
namespace {

struct Initiator : public sc_core::sc_module {
  explicit Initiator(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  tlm_utils::simple_initiator_socket<Initiator> socket{"socket"};
};

// One test, because SystemC elaborates once in a process.
TEST(GoldenTlm, CarriesABatchAndRefusesTheRest) {
  const sc_core::sc_time cycle(10, sc_core::SC_NS);
  Initiator initiator("initiator");
  Target target("target", *FindConfig("small"), cycle);
  initiator.socket.bind(target.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  std::array<Operation, 3> operations;
  operations[0].kind = OpKind::kLaunch;
  operations[0].warps = 3;
  operations[0].size = 2;
  operations[1].lanes = 1;
  operations[2].lanes = 1;
  operations[2].warp = 1;
  std::array<Effects, 3> effects;
  Batch batch;
  batch.operations = operations.data();
  batch.effects = effects.data();
  batch.count = 3;
  tlm::tlm_generic_payload payload;
  Prepare(&batch, &payload);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  initiator.socket->b_transport(payload, delay);
  EXPECT_TRUE(payload.is_response_ok());
  EXPECT_FALSE(payload.is_dmi_allowed());
  EXPECT_EQ(delay, cycle);
  EXPECT_EQ(effects[1].released, 0U);
  EXPECT_EQ(effects[2].released, 3U);
  EXPECT_EQ(target.model().Live(), 3U);

  // The same payload serves again, also for a cycle in which nothing commits.
  batch = Batch{};
  initiator.socket->b_transport(payload, delay);
  EXPECT_TRUE(payload.is_response_ok());
  EXPECT_EQ(delay, cycle + cycle);

  const auto refuses = [&](tlm::tlm_response_status status) {
    initiator.socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), status);
    EXPECT_EQ(delay, cycle + cycle);
    Prepare(&batch, &payload);
  };
  payload.set_read();
  refuses(tlm::TLM_COMMAND_ERROR_RESPONSE);
  payload.set_address(4);
  refuses(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  payload.set_data_length(1);
  refuses(tlm::TLM_BURST_ERROR_RESPONSE);
  payload.set_streaming_width(1);
  refuses(tlm::TLM_BURST_ERROR_RESPONSE);
  unsigned char enable = 0xff;
  payload.set_byte_enable_ptr(&enable);
  refuses(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  payload.set_data_ptr(nullptr);
  refuses(tlm::TLM_GENERIC_ERROR_RESPONSE);
  batch.count = 1;
  refuses(tlm::TLM_GENERIC_ERROR_RESPONSE);

  target.Reset();
  EXPECT_EQ(target.model().Live(), 0U);
}

}  // namespace
}  // namespace muster::golden

// libsystemc refers to it; GoogleTest's main is the one that runs.
int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }
