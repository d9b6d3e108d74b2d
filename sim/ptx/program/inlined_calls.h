// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// By which calls code has come into the function that it is in, from a PTX file's debug information
// (clang's -g): DWARF has the calls, with the first label and the label after the last instruction
// of each. A compiler that moves instructions leaves others between these, so a line is of a call
// only if its place in the source is in the function that is called, too.
#ifndef MUSTER_SIM_PTX_PROGRAM_INLINED_CALLS_H_
#define MUSTER_SIM_PTX_PROGRAM_INLINED_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/ptx/syntax/syntax.h"

namespace muster::ptx {

class InlinedCalls {
 public:
  using Site = std::pair<std::uint32_t, std::uint32_t>;  // a file's number, and a line
  struct Call {
    Site site;             // where the call is
    std::string function;  // what is called

    bool operator==(const Call& other) const {
      return site == other.site && function == other.function;
    }
  };

  InlinedCalls() = default;
  explicit InlinedCalls(const syntax::Module& module);

  // The lines of the PTX file at which code of another call may begin.
  std::set<std::uint32_t> Borders() const;

  // The calls that have been inlined around this line of the PTX file, which comes from that place:
  // the outermost first. None: there are none, or it is not clear which.
  std::vector<Call> At(std::uint32_t ptx_line, const Site& place) const;

 private:
  struct Scope {
    std::uint32_t from = 0;  // lines of the PTX file
    std::uint32_t to = 0;    // the first one after it
    Call call;
    Site begin;             // of the function that is called
    std::size_t outer = 0;  // the number of the scope that this one is in, plus 1; or 0
  };

  std::vector<Scope> scopes_;
  std::multimap<Site, std::size_t> by_function_;  // scopes, by where what is called begins
  std::set<Site> functions_;                      // where functions begin
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_INLINED_CALLS_H_
