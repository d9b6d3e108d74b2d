// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/unit/axil_bus.h"

namespace muster::axil {

void Manager::Reset() {
  for (auto* queue : {&addresses_, &reads_, &written_, &read_}) {
    queue->clear();
  }
  data_.clear();
  accepted_addresses_ = accepted_data_ = accepted_reads_ = 0;
  driven_ = last_driven_ = {};
  last_ = {};
}

void Manager::Check(bool holds, const char* rule) {
  if (!holds && error_.empty()) {
    error_ = rule;
  }
}

// What is presented stays until it is accepted.
const Requests& Manager::Drive() {
  driven_.awvalid = driven_.awvalid || (!addresses_.empty() && Goes());
  driven_.wvalid = driven_.wvalid || (!data_.empty() && Goes());
  driven_.arvalid = driven_.arvalid || (!reads_.empty() && Goes());
  // What is not valid may be anything.
  driven_.awaddr = driven_.awvalid ? addresses_.front() : static_cast<std::uint32_t>(random_());
  driven_.wdata = driven_.wvalid ? data_.front().data : static_cast<std::uint32_t>(random_());
  driven_.wstrb = driven_.wvalid ? data_.front().strobes : static_cast<std::uint32_t>(random_());
  driven_.araddr = driven_.arvalid ? reads_.front() : static_cast<std::uint32_t>(random_());
  driven_.awaddr &= 0xfff;
  driven_.araddr &= 0xfff;
  driven_.wstrb &= 15;
  driven_.bready = Goes();
  driven_.rready = Goes();
  return driven_;
}

void Manager::Observe(const Answers& answers) {
  if (last_.bvalid && !last_driven_.bready) {
    Check(answers.bvalid, "BVALID falls before BREADY");
    Check(answers.bresp == last_.bresp, "BRESP changes before BREADY");
  }
  if (last_.rvalid && !last_driven_.rready) {
    Check(answers.rvalid, "RVALID falls before RREADY");
    Check(answers.rresp == last_.rresp, "RRESP changes before RREADY");
    Check(answers.rdata == last_.rdata, "RDATA change before RREADY");
  }
  Check(!answers.bvalid || (accepted_addresses_ > 0 && accepted_data_ > 0),
        "a response to a write without its address and data");
  Check(!answers.rvalid || accepted_reads_ > 0, "data of a read that nobody asked for");
  if (!error_.empty()) {
    return;
  }
  last_ = answers;
  last_driven_ = driven_;
  if (answers.bvalid && driven_.bready) {
    writes.push_back({written_.front(), 0, answers.bresp});
    written_.pop_front();
    --accepted_addresses_;
    --accepted_data_;
  }
  if (answers.rvalid && driven_.rready) {
    reads.push_back({read_.front(), answers.rdata, answers.rresp});
    read_.pop_front();
    --accepted_reads_;
  }
  if (driven_.awvalid && answers.awready) {
    driven_.awvalid = false;
    addresses_.pop_front();
    ++accepted_addresses_;
  }
  if (driven_.wvalid && answers.wready) {
    driven_.wvalid = false;
    data_.pop_front();
    ++accepted_data_;
  }
  if (driven_.arvalid && answers.arready) {
    driven_.arvalid = false;
    reads_.pop_front();
    ++accepted_reads_;
  }
}

}  // namespace muster::axil
