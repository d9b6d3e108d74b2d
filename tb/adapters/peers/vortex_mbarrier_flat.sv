// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The mbarrier unit of a core of Vortex with the pins that the adapter drives, and its local memory, which answers
// in the next cycle.
`include "VX_define.vh"

module vortex_mbarrier_flat
  import VX_gpu_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  output logic [7:0]  warps_o,
  output logic [15:0] events_o,
  output logic [15:0] words_o,

  input  logic        req_valid_i,
  output logic        req_ready_o,
  output logic        req_phase_o,
  input  logic [2:0]  req_op_i,  // 0 init, 1 arrive, 2 expect_tx, 3 wait
  input  logic [15:0] req_word_i,
  input  logic [7:0]  req_warp_i,
  input  logic [31:0] req_value_i,

  input  logic        tx_valid_i,
  output logic        tx_ready_o,
  input  logic [15:0] tx_word_i,

  output logic        unlock_valid_o,
  output logic [63:0] unlock_mask_o,
  output logic        busy_o,

  // A word of the memory, and its fields.
  input  logic [15:0] show_word_i,
  output logic        show_phase_o,
  output logic [7:0]  show_pending_o,
  output logic [15:0] show_bytes_o
);

  localparam int unsigned Warps     = `VX_CFG_NUM_WARPS;
  localparam int unsigned Lines     = 1 << LMEM_DMA_ADDR_WIDTH;
  localparam int unsigned LineWords = LMEM_DMA_DATA_SIZE / 4;
  localparam int unsigned ArrivalW  = $clog2(Warps + 1);
  localparam int unsigned TxW       = $clog2(`VX_CFG_MAX_BAR_EVENTS + 1);

  logic [LineWords-1:0][3:0][7:0] mem [Lines];
  logic [Warps-1:0]               mask;
  logic [31:0]                    shown;
  mbarrier_t                      req;

  assign warps_o       = 8'(Warps);
  assign events_o      = 16'(`VX_CFG_MAX_BAR_EVENTS);
  assign words_o       = 16'(Lines * LineWords);
  assign unlock_mask_o = 64'(mask);

  assign shown          = mem[LMEM_DMA_ADDR_WIDTH'(32'(show_word_i) / LineWords)][32'(show_word_i) % LineWords];
  assign show_phase_o   = shown[0];
  assign show_pending_o = 8'(shown[1 +: ArrivalW]);
  assign show_bytes_o   = 16'(shown[1 + 2 * ArrivalW +: TxW]);

  always_comb begin
    req       = '0;
    req.addr  = MBAR_ADDR_W'(req_word_i);
    req.wid   = NW_WIDTH'(req_warp_i);
    req.value = req_value_i;
    case (req_op_i)
      3'd0:    req.op = MBAR_OP_INIT;
      3'd1:    req.op = MBAR_OP_ARRIVE;
      3'd2:    req.op = MBAR_OP_EXPECT_TX;
      default: req.op = MBAR_OP_WAIT;
    endcase
  end

  VX_mem_bus_if lmem ();
  assign lmem.req_ready = 1'b1;

  VX_mbar_completion_if completion ();
  assign completion.valid = tx_valid_i;
  assign completion.addr  = MBAR_ADDR_W'(tx_word_i);
  assign tx_ready_o       = completion.ready;

  always_ff @(posedge clk_i) begin
    lmem.rsp_valid <= lmem.req_valid && !lmem.req_data.rw && !rst_i;
    lmem.rsp_data  <= '0;
    if (lmem.req_valid) begin
      lmem.rsp_data.data <= mem[lmem.req_data.addr];
      for (int unsigned w = 0; w < LineWords; w++) begin
        for (int unsigned b = 0; b < 4; b++) begin
          if (lmem.req_data.rw && lmem.req_data.byteen[4*w+b]) begin
            mem[lmem.req_data.addr][w][b] <= lmem.req_data.data[8*(4*w+b) +: 8];
          end
        end
      end
    end
  end

  VX_mbarrier_unit u_mbarrier (
    .clk(clk_i),
    .reset(rst_i),
    .req_valid(req_valid_i),
    .req_data(req),
    .req_ready(req_ready_o),
    .req_phase(req_phase_o),
    .completion_if(completion),
    .unlock_valid(unlock_valid_o),
    .unlock_mask(mask),
    .busy(busy_o),
    .lmem_if(lmem)
  );

endmodule
