// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// griddepcontrol (PTX 9.7.13.13): for each grid, how many CTAs have not yet triggered the launch of
// its dependents, how many have not completed, and which grids it awaits. A grid is performed when
// all its CTAs have completed and its memory operations are flushed.
module muster_cluster_grid
  import muster_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter cluster_cfg_t Cfg,
  localparam int unsigned NumGrids = Cfg.NumGrids
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                open_i,     // a grid takes its slot
  input  cluster_life_t       life_i,
  output grids_t              running_o,  // the slot has a grid that is not over

  input  logic                news_valid_i,
  input  cta_news_t           news_i,

  output logic [NumGrids-1:0] launch_o,      // dependents may be launched
  output logic [NumGrids-1:0] flush_o,       // all CTAs have completed: flush what they wrote
  input  logic [NumGrids-1:0] flushed_i,     // done
  output grids_t              performed_o    // grids that await no other grid
);

  typedef struct packed {
    logic        runs;
    logic [31:0] untriggered;  // CTAs
    logic [31:0] incomplete;   // CTAs
    grids_t      awaits;
  } grid_state_t;

  grid_state_t [NumGrids-1:0] grids_q, grids_d;
  grids_t                     over;

  always_comb begin
    over = '0;
    for (int g = 0; g < NumGrids; g++) over[g] = flush_o[g] && flushed_i[g];
  end

  always_comb begin
    grids_d = grids_q;
    for (int g = 0; g < NumGrids; g++) begin
      if (news_valid_i && 32'(news_i.grid) == g) begin
        if (news_i.triggered) grids_d[g].untriggered = grids_q[g].untriggered - 32'd1;
        if (news_i.gone) grids_d[g].incomplete = grids_q[g].incomplete - 32'd1;
      end
      if (over[g]) grids_d[g].runs = 1'b0;
      if (open_i && 32'(life_i.grid) == g) begin
        // A prerequisite may have ended since it was presented.
        grids_d[g] = '{runs: 1'b1, untriggered: life_i.size, incomplete: life_i.size,
                       awaits: life_i.awaits & running_o};
      end
      grids_d[g].awaits = grids_d[g].awaits & ~over;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      grids_q <= '0;
    end else begin
      grids_q <= grids_d;
    end
  end

  always_comb begin
    running_o   = '0;
    performed_o = '1;
    for (int g = 0; g < NumGrids; g++) begin
      launch_o[g]    = grids_q[g].untriggered == '0;
      flush_o[g]     = grids_q[g].runs && grids_q[g].incomplete == '0;
      running_o[g]   = grids_q[g].runs;
      performed_o[g] = grids_q[g].awaits == '0;
    end
  end

endmodule
