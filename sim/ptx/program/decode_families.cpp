// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/decode_families.h"

#include <unordered_map>

#include "sim/ptx/program/decode_arithmetic.h"
#include "sim/ptx/program/decode_async.h"
#include "sim/ptx/program/decode_barrier.h"
#include "sim/ptx/program/decode_bits.h"
#include "sim/ptx/program/decode_compare.h"
#include "sim/ptx/program/decode_control.h"
#include "sim/ptx/program/decode_fence.h"
#include "sim/ptx/program/decode_launch.h"
#include "sim/ptx/program/decode_matrix.h"
#include "sim/ptx/program/decode_mbarrier.h"
#include "sim/ptx/program/decode_memory.h"
#include "sim/ptx/program/decode_move.h"
#include "sim/ptx/program/decode_multimem.h"
#include "sim/ptx/program/decode_tcgen05.h"
#include "sim/ptx/program/decode_texture.h"
#include "sim/ptx/program/decode_video.h"
#include "sim/ptx/program/decode_warp.h"
#include "sim/ptx/program/decode_warpgroup.h"
#include "sim/ptx/program/decode_wmma.h"

namespace muster::ptx {
namespace {

struct Entry {
  std::string_view opcode;
  Family family;
};
constexpr Entry kEntries[] = {
    {"add", {DecodeArithmetic, Op::kAdd}},
    {"addc", {DecodeArithmetic, Op::kAdd}},
    {"sub", {DecodeArithmetic, Op::kSub}},
    {"subc", {DecodeArithmetic, Op::kSub}},
    {"mul", {DecodeMultiply, Op::kMul}},
    {"mad", {DecodeMultiply, Op::kMad}},
    {"madc", {DecodeMultiply, Op::kMad}},
    {"fma", {DecodeMultiply, Op::kFma}},
    {"mul24", {DecodeMultiply24, Op::kMul24}},
    {"mad24", {DecodeMultiply24, Op::kMad24}},
    {"sad", {DecodeSumOfDistances, Op::kSad}},
    {"dp4a", {DecodeDotProduct, Op::kDot4}},
    {"dp2a", {DecodeDotProduct, Op::kDot2}},
    {"div", {DecodeDivide, Op::kDiv}},
    {"rem", {DecodeDivide, Op::kRem}},
    {"min", {DecodeMinMax, Op::kMin}},
    {"max", {DecodeMinMax, Op::kMax}},
    {"abs", {DecodeUnary, Op::kAbs}},
    {"neg", {DecodeUnary, Op::kNeg}},
    {"sqrt", {DecodeUnary, Op::kSqrt}},
    {"rcp", {DecodeUnary, Op::kRcp}},
    {"rsqrt", {DecodeUnary, Op::kRsqrt}},
    {"sin", {DecodeUnary, Op::kSin}},
    {"cos", {DecodeUnary, Op::kCos}},
    {"lg2", {DecodeUnary, Op::kLg2}},
    {"ex2", {DecodeUnary, Op::kEx2}},
    {"tanh", {DecodeUnary, Op::kTanh}},
    {"copysign", {DecodeCopySign, Op::kCopySign}},
    {"testp", {DecodeTestProperty, Op::kTestp}},
    {"and", {DecodeLogic, Op::kAnd}},
    {"or", {DecodeLogic, Op::kOr}},
    {"xor", {DecodeLogic, Op::kXor}},
    {"not", {DecodeLogic, Op::kNot}},
    {"cnot", {DecodeLogic, Op::kCnot}},
    {"shl", {DecodeShift, Op::kShl}},
    {"shr", {DecodeShift, Op::kShr}},
    {"shf", {DecodeFunnelShift, Op::kShfLeft}},
    {"popc", {DecodeBitCount, Op::kPopc}},
    {"clz", {DecodeBitCount, Op::kClz}},
    {"brev", {DecodeBitCount, Op::kBrev}},
    {"bfind", {DecodeBitCount, Op::kBfind}},
    {"fns", {DecodeFindNth, Op::kFns}},
    {"bfe", {DecodeBitField, Op::kBfe}},
    {"bfi", {DecodeBitField, Op::kBfi}},
    {"szext", {DecodeBitMask, Op::kSzext}},
    {"bmsk", {DecodeBitMask, Op::kBmsk}},
    {"prmt", {DecodePermute, Op::kPrmt}},
    {"lop3", {DecodeLookup, Op::kLop3}},
    {"setp", {DecodeSetPredicate, Op::kSetp}},
    {"set", {DecodeSet, Op::kSet}},
    {"selp", {DecodeSelect, Op::kSelp}},
    {"slct", {DecodeSelectBySign, Op::kSlct}},
    {"mov", {DecodeMove, Op::kMov}},
    {"cvt", {DecodeConvert, Op::kCvt}},
    {"cvta", {DecodeConvertAddress, Op::kCvta}},
    {"isspacep", {DecodeIsSpace, Op::kIsSpace}},
    {"mapa", {DecodeMapAddress, Op::kMapToRank}},
    {"getctarank", {DecodeMapAddress, Op::kRankOf}},
    {"ld", {DecodeLoadStore, Op::kLoad}},
    {"ldu", {DecodeLoadStore, Op::kLoad}},
    {"st", {DecodeLoadStore, Op::kStore}},
    {"atom", {DecodeAtomicAccess, Op::kAtomic}},
    {"red", {DecodeAtomicAccess, Op::kAtomic}},
    {"membar", {DecodeFence, Op::kFence}},
    {"fence", {DecodeFence, Op::kFence}},
    {"tensormap", {DecodeTensorMap, Op::kTensorReplace}},
    {"prefetch", {DecodeCacheHint, Op::kNop}},
    {"prefetchu", {DecodeCacheHint, Op::kNop}},
    {"applypriority", {DecodeCacheHint, Op::kNop}},
    {"discard", {DecodeCacheHint, Op::kNop}},
    {"alloca", {DecodeStack, Op::kStack}},
    {"stacksave", {DecodeStack, Op::kStack}},
    {"stackrestore", {DecodeStack, Op::kStack}},
    {"cp", {DecodeCopyAsync, Op::kCopy}},
    {"createpolicy", {DecodeCreatePolicy, Op::kMov}},
    {"bra", {DecodeBranch, Op::kBranch}},
    {"brx", {DecodeBranchIndexed, Op::kBranchIndexed}},
    {"call", {DecodeCallFunction, Op::kCall}},
    {"ret", {DecodePlain, Op::kReturn}},
    {"exit", {DecodePlain, Op::kExit}},
    {"trap", {DecodePlain, Op::kTrap}},
    {"brkpt", {DecodePlain, Op::kTrap}},
    {"nanosleep", {DecodeSleep, Op::kSleep}},
    {"pmevent", {DecodeNoEffect, Op::kNop}},
    {"setmaxnreg", {DecodeRegisterLimit, Op::kRegisterLimit}},
    {"griddepcontrol", {DecodeGridControl, Op::kGridControl}},
    {"activemask", {DecodeActiveMask, Op::kActiveMask}},
    {"vote", {DecodeVote, Op::kExchange}},
    {"match", {DecodeMatch, Op::kExchange}},
    {"shfl", {DecodeShuffle, Op::kExchange}},
    {"redux", {DecodeReduce, Op::kExchange}},
    {"elect", {DecodeElect, Op::kExchange}},
    {"bar", {DecodeBarrier, Op::kBarrier}},
    {"barrier", {DecodeBarrier, Op::kBarrier}},
    {"mbarrier", {DecodeMbarrier, Op::kMbarrier}},
    {"mma", {DecodeMatrixProduct, Op::kMatrixProduct}},
    {"ldmatrix", {DecodeMatrixAccess, Op::kMatrixLayout}},
    {"stmatrix", {DecodeMatrixAccess, Op::kStore}},
    {"wmma", {DecodeWmma, Op::kMatrixProduct}},
    {"movmatrix", {DecodeMoveMatrix, Op::kMatrixLayout}},
    {"wgmma", {DecodeWarpgroup, Op::kWarpgroupProduct}},
    {"tcgen05", {DecodeTcgen05, Op::kTensorAllocation}},
    {"multimem", {DecodeMultimem, Op::kMultimem}},
    {"tex", {DecodeTexture, Op::kTexture}},
    {"tld4", {DecodeTexture, Op::kTexture}},
    {"txq", {DecodeTextureQuery, Op::kTextureQuery}},
    {"suq", {DecodeTextureQuery, Op::kTextureQuery}},
    {"suld", {DecodeSurface, Op::kSurface}},
    {"sust", {DecodeSurface, Op::kSurface}},
    {"sured", {DecodeSurface, Op::kSurface}},
    {"vadd", {DecodeVideoInstruction, Op::kVideo}},
    {"vsub", {DecodeVideoInstruction, Op::kVideo}},
    {"vabsdiff", {DecodeVideoInstruction, Op::kVideo}},
    {"vmin", {DecodeVideoInstruction, Op::kVideo}},
    {"vmax", {DecodeVideoInstruction, Op::kVideo}},
    {"vshl", {DecodeVideoInstruction, Op::kVideo}},
    {"vshr", {DecodeVideoInstruction, Op::kVideo}},
    {"vmad", {DecodeVideoInstruction, Op::kVideo}},
    {"vset", {DecodeVideoInstruction, Op::kVideo}},
    {"vadd2", {DecodeVideoInstruction, Op::kVideo}},
    {"vsub2", {DecodeVideoInstruction, Op::kVideo}},
    {"vavrg2", {DecodeVideoInstruction, Op::kVideo}},
    {"vabsdiff2", {DecodeVideoInstruction, Op::kVideo}},
    {"vmin2", {DecodeVideoInstruction, Op::kVideo}},
    {"vmax2", {DecodeVideoInstruction, Op::kVideo}},
    {"vset2", {DecodeVideoInstruction, Op::kVideo}},
    {"vadd4", {DecodeVideoInstruction, Op::kVideo}},
    {"vsub4", {DecodeVideoInstruction, Op::kVideo}},
    {"vavrg4", {DecodeVideoInstruction, Op::kVideo}},
    {"vabsdiff4", {DecodeVideoInstruction, Op::kVideo}},
    {"vmin4", {DecodeVideoInstruction, Op::kVideo}},
    {"vmax4", {DecodeVideoInstruction, Op::kVideo}},
    {"vset4", {DecodeVideoInstruction, Op::kVideo}},
    {"clusterlaunchcontrol", {DecodeLaunchControl, Op::kTryCancel}},
};

}  // namespace

const Family* FamilyOf(std::string_view opcode) {
  static const auto by_opcode = [] {
    std::unordered_map<std::string_view, const Family*> map;
    for (const Entry& entry : kEntries) {
      map.emplace(entry.opcode, &entry.family);
    }
    return map;
  }();
  const auto found = by_opcode.find(opcode);
  return found == by_opcode.end() ? nullptr : found->second;
}

}  // namespace muster::ptx
