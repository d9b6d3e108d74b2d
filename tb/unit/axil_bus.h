// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The manager's side of an AXI4-Lite bus, with random gaps in all five channels, and the rules that
// it can see the subordinate break.
#ifndef MUSTER_TB_UNIT_AXIL_BUS_H_
#define MUSTER_TB_UNIT_AXIL_BUS_H_

#include <cstdint>
#include <deque>
#include <random>
#include <string>

namespace muster::axil {

inline constexpr unsigned kOkay = 0;
inline constexpr unsigned kSlvErr = 2;

// What the manager drives in a cycle, and what the subordinate answers in it.
struct Requests {
  bool awvalid = false, wvalid = false, bready = false, arvalid = false, rready = false;
  std::uint32_t awaddr = 0, wdata = 0, wstrb = 0, araddr = 0;
};
struct Answers {
  bool awready = false, wready = false, bvalid = false, arready = false, rvalid = false;
  std::uint32_t bresp = 0, rdata = 0, rresp = 0;
  bool irq = false;
};

template <class Verilated>
void SetBus(const Requests& requests, Verilated* dut) {
  dut->awvalid_i = requests.awvalid ? 1 : 0;
  dut->awaddr_i = static_cast<std::uint16_t>(requests.awaddr);
  dut->wvalid_i = requests.wvalid ? 1 : 0;
  dut->wdata_i = requests.wdata;
  dut->wstrb_i = static_cast<std::uint8_t>(requests.wstrb);
  dut->bready_i = requests.bready ? 1 : 0;
  dut->arvalid_i = requests.arvalid ? 1 : 0;
  dut->araddr_i = static_cast<std::uint16_t>(requests.araddr);
  dut->rready_i = requests.rready ? 1 : 0;
}

template <class Verilated>
Answers GetBus(const Verilated& dut) {
  Answers answers;
  answers.awready = dut.awready_o != 0;
  answers.wready = dut.wready_o != 0;
  answers.bvalid = dut.bvalid_o != 0;
  answers.bresp = dut.bresp_o;
  answers.arready = dut.arready_o != 0;
  answers.rvalid = dut.rvalid_o != 0;
  answers.rdata = dut.rdata_o;
  answers.rresp = dut.rresp_o;
  answers.irq = dut.irq_o != 0;
  return answers;
}

struct Response {
  std::uint32_t address = 0;
  std::uint32_t data = 0;  // of a read
  unsigned resp = kOkay;
};

class Manager {
 public:
  explicit Manager(std::uint64_t seed) : random_(seed) {}

  void Write(std::uint32_t address, std::uint32_t data, std::uint32_t strobes = 15) {
    addresses_.push_back(address);
    data_.push_back({data, strobes});
    written_.push_back(address);
  }
  void Read(std::uint32_t address) {
    reads_.push_back(address);
    read_.push_back(address);
  }
  // Nothing is presented, nor waits for a response.
  bool Idle() const { return written_.empty() && read_.empty(); }
  void Reset();

  // Of 16 cycles, in how many a channel goes on, on average; 16: no gaps.
  unsigned pace = 16;

  // What to drive in the next cycle; and what came of it.
  const Requests& Drive();
  void Observe(const Answers& answers);

  // In order of their responses.
  std::deque<Response> writes, reads;

  // The first rule that the subordinate broke, or nothing.
  const std::string& error() const { return error_; }

 private:
  struct Data {
    std::uint32_t data = 0, strobes = 0;
  };

  bool Goes() { return random_() % 16 < pace; }
  void Check(bool holds, const char* rule);

  std::mt19937_64 random_;
  std::deque<std::uint32_t> addresses_, reads_;  // not yet accepted; the first may be presented
  std::deque<Data> data_;
  std::deque<std::uint32_t> written_, read_;  // without a response yet
  unsigned accepted_addresses_ = 0, accepted_data_ = 0,
           accepted_reads_ = 0;  // without a response yet
  Requests driven_;
  Answers last_;  // in the cycle before, with what was driven
  Requests last_driven_;
  std::string error_;
};

}  // namespace muster::axil

#endif  // MUSTER_TB_UNIT_AXIL_BUS_H_
