// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/isa/warp_operation.h"

namespace muster {

const char* Name(WarpOp op) {
  switch (op) {
    case WarpOp::kSync:
      return "bar.warp.sync";
    case WarpOp::kShuffle:
      return "shfl.sync";
    case WarpOp::kElect:
      return "elect.sync";
    case WarpOp::kVoteAll:
      return "vote.sync.all";
    case WarpOp::kVoteAny:
      return "vote.sync.any";
    case WarpOp::kVoteUni:
      return "vote.sync.uni";
    case WarpOp::kBallot:
      return "vote.sync.ballot";
    case WarpOp::kMatchAny:
      return "match.any.sync";
    case WarpOp::kMatchAll:
      return "match.all.sync";
    case WarpOp::kReduxAdd:
      return "redux.sync.add";
    case WarpOp::kReduxMin:
      return "redux.sync.min";
    case WarpOp::kReduxMax:
      return "redux.sync.max";
    case WarpOp::kReduxAnd:
      return "redux.sync.and";
    case WarpOp::kReduxOr:
      return "redux.sync.or";
    case WarpOp::kReduxXor:
      return "redux.sync.xor";
    case WarpOp::kGather:
      return "gather";
    case WarpOp::kExit:
      return "exit";
    case WarpOp::kRead:
      return "read";
    case WarpOp::kWrite:
      return "write";
  }
  return "?";
}

}  // namespace muster
