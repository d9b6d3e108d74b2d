rtl/fpga/muster_fpga_pkg.sv
rtl/fpga/muster_uart_rx.sv
rtl/fpga/muster_uart_tx.sv
rtl/fpga/muster_frame_rx.sv
rtl/fpga/muster_frame_tx.sv
rtl/fpga/muster_link.sv
rtl/fpga/muster_fpga_memory.sv
rtl/fpga/muster_board.sv
