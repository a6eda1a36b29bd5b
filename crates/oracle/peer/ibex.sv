// Ibex in its smallest configuration with the fast multiplier: two stages, no branch target ALU, no cache, no PMP. Its
// register file is the obvious one; memory is the peer's.
module ibex (
  input  logic        clk,
  input  logic        rst_n,
  output logic        instr_req,
  input  logic        instr_rvalid,
  output logic [31:0] instr_addr,
  input  logic [31:0] instr_rdata,
  input  logic        instr_err,
  output logic        data_req,
  input  logic        data_rvalid,
  output logic        data_we,
  output logic [3:0]  data_be,
  output logic [31:0] data_addr,
  output logic [31:0] data_wdata,
  input  logic [31:0] data_rdata,
  input  logic        data_err,
  input  logic [31:0] boot_addr,
  input  logic [31:0] irq,
  output logic        retired,
  output logic        trapped,
  output logic [31:0] retired_pc,
  output logic [4:0]  retired_rd,
  output logic [31:0] retired_value
);
  import ibex_pkg::*;

  logic [4:0]  raddr_a, raddr_b, waddr;
  logic        we;
  logic [31:0] wdata;
  logic [31:0] registers [32];
  logic [TagSizeECC-1:0]  tags [IC_NUM_WAYS];
  logic [LineSizeECC-1:0] lines [IC_NUM_WAYS];

  localparam int unsigned TagSizeECC  = IC_TAG_SIZE;
  localparam int unsigned LineSizeECC = IC_LINE_SIZE;

  initial for (int i = 0; i < 32; i++) registers[i] = 0;
  always_ff @(posedge clk) if (we && waddr != 0) registers[waddr] <= wdata;
  always_comb for (int i = 0; i < IC_NUM_WAYS; i++) begin
    tags[i] = '0;
    lines[i] = '0;
  end

  ibex_core #(
    .RV32M(RV32MFast)
  ) core (
    .clk_i(clk), .rst_ni(rst_n), .hart_id_i(0), .boot_addr_i(boot_addr),
    .instr_req_o(instr_req), .instr_gnt_i(instr_req), .instr_rvalid_i(instr_rvalid), .instr_addr_o(instr_addr),
    .instr_rdata_i(instr_rdata), .instr_err_i(instr_err),
    .data_req_o(data_req), .data_gnt_i(data_req), .data_rvalid_i(data_rvalid), .data_we_o(data_we), .data_be_o(data_be),
    .data_addr_o(data_addr), .data_wdata_o(data_wdata), .data_rdata_i(data_rdata), .data_err_i(data_err),
    .dummy_instr_id_o(), .dummy_instr_wb_o(),
    .rf_raddr_a_o(raddr_a), .rf_raddr_b_o(raddr_b), .rf_waddr_wb_o(waddr), .rf_we_wb_o(we), .rf_wdata_wb_ecc_o(wdata),
    .rf_rdata_a_ecc_i(registers[raddr_a]), .rf_rdata_b_ecc_i(registers[raddr_b]),
    .ic_tag_req_o(), .ic_tag_write_o(), .ic_tag_addr_o(), .ic_tag_wdata_o(), .ic_tag_rdata_i(tags),
    .ic_data_req_o(), .ic_data_write_o(), .ic_data_addr_o(), .ic_data_wdata_o(), .ic_data_rdata_i(lines),
    .ic_scr_key_valid_i(0), .ic_scr_key_req_o(),
    .irq_software_i(irq[3]), .irq_timer_i(irq[7]), .irq_external_i(irq[11]), .irq_fast_i(irq[30:16]),
    .irq_nm_i(irq[31]), .irq_pending_o(),
    .debug_req_i(0), .crash_dump_o(), .double_fault_seen_o(),
    .rvfi_valid(retired), .rvfi_order(), .rvfi_insn(), .rvfi_trap(trapped), .rvfi_halt(), .rvfi_intr(), .rvfi_mode(),
    .rvfi_ixl(), .rvfi_rs1_addr(), .rvfi_rs2_addr(), .rvfi_rs3_addr(), .rvfi_rs1_rdata(), .rvfi_rs2_rdata(),
    .rvfi_rs3_rdata(), .rvfi_rd_addr(retired_rd), .rvfi_rd_wdata(retired_value), .rvfi_pc_rdata(retired_pc),
    .rvfi_pc_wdata(), .rvfi_mem_addr(), .rvfi_mem_rmask(), .rvfi_mem_wmask(), .rvfi_mem_rdata(), .rvfi_mem_wdata(),
    .rvfi_ext_pre_mip(), .rvfi_ext_post_mip(), .rvfi_ext_nmi(), .rvfi_ext_nmi_int(), .rvfi_ext_debug_req(),
    .rvfi_ext_debug_mode(), .rvfi_ext_rf_wr_suppress(), .rvfi_ext_mcycle(), .rvfi_ext_mhpmcounters(),
    .rvfi_ext_mhpmcountersh(), .rvfi_ext_ic_scr_key_valid(), .rvfi_ext_irq_valid(),
    .fetch_enable_i(IbexMuBiOn), .alert_minor_o(), .alert_major_internal_o(), .alert_major_bus_o(), .core_busy_o()
  );
endmodule

// What the core's buffers come to in simulation.
module prim_buf #(parameter int Width = 1) (input [Width-1:0] in_i, output logic [Width-1:0] out_o);
  assign out_o = in_i;
endmodule
