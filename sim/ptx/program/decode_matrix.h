// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Matrices that the lanes of a warp hold in parts: mma, ldmatrix, stmatrix, movmatrix.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_MATRIX_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_MATRIX_H_

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

void DecodeMatrixProduct(Cursor* c, Instruction* out);  // mma
// ldmatrix is a load of rows, and then the change of their layout; stmatrix is the reverse.
void DecodeMatrixAccess(Cursor* c, Instruction* out);
void DecodeMoveMatrix(Cursor* c, Instruction* out);  // movmatrix

// A shape that the text has for elements of A, and the versions that it needs.
struct MatrixShape {
  std::string_view name;
  std::uint16_t m;
  std::uint16_t n;
  std::uint16_t k;
  std::initializer_list<Element> of;
  unsigned version;
  unsigned architecture;
};

// Takes the modifiers that name elements, in their order.
std::vector<Element> TakeElements(Cursor* c);
// The type of the registers that have such elements.
Type RegisterOf(Element element);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_MATRIX_H_
