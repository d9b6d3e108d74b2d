// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The types of the atomics on shared memory.
package muster_atomics_pkg;

  import muster_pkg::*;

  typedef enum logic [3:0] {
    AtAdd  = 4'd0,
    AtInc  = 4'd1,  // of 32 bits, as AtDec
    AtDec  = 4'd2,
    AtMin  = 4'd3,
    AtMax  = 4'd4,
    AtAnd  = 4'd5,
    AtOr   = 4'd6,
    AtXor  = 4'd7,
    AtExch = 4'd8,
    AtCas  = 4'd9,
    AtFAdd = 4'd10,  // f32, or f64
    AtHAdd = 4'd11,  // f16, or of 32 bits f16x2
    AtBAdd = 4'd12   // bf16, or of 32 bits bf16x2
  } at_op_e;

  // log2 of the bytes; a value of 128 bits is two updates of a half each.
  typedef enum logic [1:0] {At128 = 2'd0, At16 = 2'd1, At32 = 2'd2, At64 = 2'd3} at_size_e;

  typedef enum logic [1:0] {AtF16 = 2'd0, AtBf16 = 2'd1, AtF32 = 2'd2, AtF64 = 2'd3} at_format_e;

  localparam int unsigned AtHeld = 2;  // words between the grants of their read and their write

  // What of a sum of floating-point numbers is known beside its significand.
  typedef struct packed {
    logic        sign;
    logic        nan;
    logic        invalid;    // of infinities with different signs
    logic        subtracts;
    logic [10:0] exp;        // of the larger number
  } at_aside_t;

  localparam int unsigned AtFloatSteps = 9;  // of muster_atomics_float, a cycle each

  typedef logic [4:0] lane_t;

  // Whose warp it is.
  typedef struct packed {
    logic       remote;  // of another CTA, whose updates come through the network
    logic [3:0] unit;    // of that
  } at_from_t;

  // One read-modify-write of a value in shared memory. The operands stand in the bytes of a 64-bit
  // word in which the value stands; their other bytes have no meaning.
  typedef struct packed {
    at_op_e      op;
    at_size_e    size;
    logic        is_signed;   // AtMin, AtMax
    mb_place_t   place;       // of the value
    logic        upper;       // At128: the upper half, which follows the lower one
    warp_t       warp;
    lane_t       lane;        // whose update it is; of several lanes, one
    at_from_t    from;
    logic        completes;   // red.async, st.async: an operation on an mbarrier follows its commit
    logic [63:0] operand;     // AtCas: the value that is swapped in
    logic [63:0] compare;     // AtCas: the value that is compared
    logic        has_answer;  // a register wants what was there
    logic        releasing;   // enters when the warp's earlier accesses are performed
  } at_update_t;

  // An update on its way to another CTA, whose place there is known at the end of the way.
  typedef struct packed {
    logic        valid;       // there is one
    at_op_e      op;
    at_size_e    size;
    logic        is_signed;
    logic [31:0] addr;        // of the value, in the shared memory of the other CTA
    lane_t       lane;
    logic [63:0] operand;
    logic [63:0] compare;
    logic [63:0] operand_upper;  // At128
    logic [63:0] compare_upper;
    logic        has_answer;
  } at_remote_t;

  // A warp instruction, with the operands of each lane, from bit 0 on.
  typedef struct packed {
    at_op_e                     op;
    at_size_e                   size;
    logic                       is_signed;
    cta_t                       cta;
    warp_t                      warp;
    lanes_t                     lanes;
    logic [MaxLanes-1:0][31:0]  addr;
    logic [MaxLanes-1:0][63:0]  operand;
    logic [MaxLanes-1:0][63:0]  compare;
    logic [MaxLanes-1:0][63:0]  operand_upper;  // At128
    logic [MaxLanes-1:0][63:0]  compare_upper;
    logic                       has_answer;
    logic                       releasing;
  } at_instruction_t;

  typedef struct packed {
    at_from_t    from;
    warp_t       warp;
    lane_t       lane;
    logic        upper;
    logic [63:0] word;   // as it was; the value is where the operand was
  } at_response_t;

  typedef struct packed {
    fault_e    cause;
    at_from_t  from;
    warp_t     warp;
    lane_t     lane;
    mb_place_t place;
  } at_fault_t;

  // The update that enters memory in this cycle, or is refused.
  typedef struct packed {
    logic        valid;
    at_from_t    from;
    warp_t       warp;
    lane_t       lane;
    mb_place_t   place;
    logic        completes;
    logic        written;
    logic [63:0] word;  // written
  } at_commit_t;

  // An update as muster_atomics_update takes it.
  typedef struct packed {
    logic [3:0]  quarters;   // of the word, that the value has
    logic        wide;       // it has all
    logic        slow;       // its sum is asked for, or the carry of that
    logic        upper;      // its highest bit is bit 63
    logic        is_signed;
    logic        carry;      // into the sum of word and addend
    logic        takes;      // the operand, or what the gates make of it, whatever the word is
    logic        adds;
    logic        steps;      // AtInc, AtDec
    logic        down;
    logic        selects;    // AtMin, AtMax
    logic        largest;
    logic        swaps;      // AtCas
    logic        floats;     // AtFAdd, AtHAdd, AtBAdd
    at_format_e  format;
    logic        paired;     // two of 16 bits
    logic [1:0]  gate;       // 0: the operand; its AND, OR, XOR with the word
    logic [63:0] addend;     // the operand; inverted to compare; AtCas: the value that is compared
    logic [63:0] operand;
  } at_step_t;

  function automatic at_step_t step_of(at_update_t u);
    at_step_t s;
    s.wide      = u.size == At64;
    s.slow      = s.wide && u.op inside {AtAdd, AtMin, AtMax};
    s.upper     = s.wide || u.place.addr[2];
    s.is_signed = u.is_signed;
    unique case (u.size)
      At64:    s.quarters = 4'b1111;
      At32:    s.quarters = u.place.addr[2] ? 4'b1100 : 4'b0011;
      default: s.quarters = 4'b0001 << u.place.addr[2:1];
    endcase
    s.takes   = u.op inside {AtAnd, AtOr, AtXor, AtExch};
    s.adds    = u.op == AtAdd;
    s.steps   = u.op inside {AtInc, AtDec};
    s.down    = u.op == AtDec;
    s.selects = u.op inside {AtMin, AtMax};
    s.largest = u.op == AtMax;
    s.swaps   = u.op == AtCas;
    s.floats  = u.op inside {AtFAdd, AtHAdd, AtBAdd};
    s.format  = u.op == AtHAdd ? AtF16 : u.op == AtBAdd ? AtBf16 : s.wide ? AtF64 : AtF32;
    s.paired  = u.op inside {AtHAdd, AtBAdd} && u.size == At32;
    // The sum has a carry if the word is not below the operand; AtDec: if it is above it.
    s.carry   = s.selects || u.op == AtInc;
    s.gate    = u.op == AtAnd ? 2'd1 : u.op == AtOr ? 2'd2 : u.op == AtXor ? 2'd3 : 2'd0;
    s.addend  = s.swaps ? u.compare : s.adds ? u.operand : ~u.operand;
    s.operand = u.op == AtInc ? '0 : u.operand;  // after its bound AtInc begins anew at 0
    return s;
  endfunction

  // Whether a block with these parameters has the operation, of this size.
  function automatic logic has_update(at_update_t u, int unsigned floats, bit en_128);
    unique case (u.op)
      AtInc, AtDec:   return u.size == At32;
      AtExch, AtCas:  return u.size != At128 || en_128;
      AtFAdd:         return u.size == At64 ? floats >= 3 : u.size == At32 && floats >= 1;
      AtHAdd, AtBAdd: return u.size inside {At16, At32} && floats >= 2;
      default:        return u.size inside {At32, At64};
    endcase
  endfunction

  // The exponent of infinities and NaNs.
  function automatic logic [10:0] highest_of(at_format_e format);
    return format == AtF16 ? 11'd31 : format == AtF64 ? 11'd2047 : 11'd255;
  endfunction

  // Not aligned to its size, or beyond the CTA's shared memory of 2^addr_bits bytes.
  function automatic logic is_misplaced(at_update_t u, int unsigned addr_bits);
    logic [3:0] low;
    unique case (u.size)
      At128:   low = 4'b1111;
      At64:    low = 4'b0111;
      At32:    low = 4'b0011;
      default: low = 4'b0001;
    endcase
    return (u.place.addr[3:0] & low) != '0 || (u.place.addr >> addr_bits) != '0;
  endfunction

  // The operand of two lanes together, of an operation whose lanes have no order; from bit 0 on.
  function automatic logic [63:0] fold_of(at_op_e op, at_size_e size, logic is_signed,
                                          logic [63:0] a, logic [63:0] b);
    logic [63:0] flip, high_a, high_b;  // with the highest bit of the value at bit 63
    logic        below;
    flip   = {is_signed, 63'd0};
    high_a = (size == At64 ? a : {a[31:0], 32'd0}) ^ flip;
    high_b = (size == At64 ? b : {b[31:0], 32'd0}) ^ flip;
    below  = high_b < high_a;
    unique case (op)
      AtMin:   return below ? b : a;
      AtMax:   return below ? a : b;
      AtAnd:   return a & b;
      AtOr:    return a | b;
      AtXor:   return a ^ b;
      default: return a + b;
    endcase
  endfunction

  // The word around a value.
  function automatic mb_place_t word_of(mb_place_t place);
    return '{cta: place.cta, addr: {place.addr[31:3], 3'b000}};
  endfunction

endpackage
