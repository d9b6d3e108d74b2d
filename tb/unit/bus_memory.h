// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A memory on TCDM or OBI that grants and answers as it likes, in order. It complains if a request
// changes before it is granted, or if more transfers are on their way than the adapter may have.
#ifndef TB_UNIT_BUS_MEMORY_H_
#define TB_UNIT_BUS_MEMORY_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <tuple>

namespace muster {

// The kinds of memories. The adapter is made for them by parameters of the same names.
struct TcdmMemory {
  static constexpr bool kWriteAnswers = true;
  static constexpr unsigned kLatency = 1;      // of an answer in cycles, 1: always in the next one
  static constexpr unsigned kOutstanding = 4;  // transfers granted and not answered, at most
};
struct SilentTcdmMemory {
  static constexpr bool kWriteAnswers = false;
  static constexpr unsigned kLatency = 1;
  static constexpr unsigned kOutstanding = 4;
};
struct ObiMemory {
  static constexpr bool kWriteAnswers = true;
  static constexpr unsigned kLatency = 5;  // on average
  static constexpr unsigned kOutstanding = 2;
};

struct BusRequest {
  bool valid, writes;
  std::uint32_t address;
  std::uint64_t data;

  bool operator==(const BusRequest& other) const {
    return std::tie(valid, writes, address, data) ==
           std::tie(other.valid, other.writes, other.address, other.data);
  }
};

template <class Kind>
class BusMemory {
 public:
  // A cycle, before the edge that ends it. The request that is granted, if any.
  template <class Dut>
  std::optional<BusRequest> Serve(bool grants, Dut* dut) {
    dut->gnt_i = grants && random_() % 3 != 0;
    dut->rvalid_i = !answers_.empty() && (Kind::kLatency == 1 || random_() % Kind::kLatency == 0);
    dut->rdata_i = dut->rvalid_i != 0 ? answers_.front() : random_();
    if (dut->rvalid_i != 0) {
      answers_.pop_front();
    }
    dut->eval();
    const BusRequest request{dut->req_o != 0, dut->we_o != 0, dut->addr_o, dut->wdata_o};
    if (held_) {
      EXPECT_EQ(request, *held_) << "a request changes before it is granted";
    }
    held_.reset();
    if (!request.valid) {
      return std::nullopt;
    }
    if (dut->gnt_i == 0) {
      held_ = request;
      return std::nullopt;
    }
    if (request.writes) {
      words[request.address] = request.data;
    }
    if (!request.writes || Kind::kWriteAnswers) {
      answers_.push_back(request.writes ? random_() : words[request.address]);
    }
    EXPECT_LE(answers_.size(), Kind::kOutstanding);
    return request;
  }

  // Transfers that are granted and not answered.
  std::size_t on_their_way() const { return answers_.size(); }

  std::map<std::uint32_t, std::uint64_t> words;

 private:
  std::mt19937_64 random_{1};
  std::deque<std::uint64_t> answers_;
  std::optional<BusRequest> held_;  // not granted in the last cycle
};

}  // namespace muster

#endif  // TB_UNIT_BUS_MEMORY_H_
