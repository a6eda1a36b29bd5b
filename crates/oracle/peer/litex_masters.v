// Stands in the place of VexRiscv in LiteX's SoC: two masters that present what the bench sets. A request is a word: bit 0 says that
// there is one, bit 1 that it writes, the others are its address. CTI is set beside it. The bus's time must not depend on BTE: it
// changes with the address.
module VexRiscv (
    input clk, input reset,
    input timerInterrupt, input softwareInterrupt, input [31:0] externalInterruptArray, input [31:0] externalResetVector,
    output iBusWishbone_CYC, output iBusWishbone_STB, input iBusWishbone_ACK, output iBusWishbone_WE,
    output [29:0] iBusWishbone_ADR, input [31:0] iBusWishbone_DAT_MISO, output [31:0] iBusWishbone_DAT_MOSI,
    output [3:0] iBusWishbone_SEL, input iBusWishbone_ERR, output [2:0] iBusWishbone_CTI, output [1:0] iBusWishbone_BTE,
    output dBusWishbone_CYC, output dBusWishbone_STB, input dBusWishbone_ACK, output dBusWishbone_WE,
    output [29:0] dBusWishbone_ADR, input [31:0] dBusWishbone_DAT_MISO, output [31:0] dBusWishbone_DAT_MOSI,
    output [3:0] dBusWishbone_SEL, input dBusWishbone_ERR, output [2:0] dBusWishbone_CTI, output [1:0] dBusWishbone_BTE
);
    reg [31:0] next_fetch /*verilator public*/ = 0;
    reg [31:0] next_data /*verilator public*/ = 0;
    reg [5:0] next_cti /*verilator public*/ = 0;
    reg [31:0] fetch = 0, data = 0;
    reg [5:0] cti = 0;
    always @(posedge clk) begin
        fetch <= next_fetch;
        data <= next_data;
        cti <= next_cti;
    end
    assign iBusWishbone_CYC = fetch[0], iBusWishbone_STB = fetch[0], iBusWishbone_WE = fetch[1];
    assign iBusWishbone_ADR = fetch[31:2], iBusWishbone_CTI = cti[2:0], iBusWishbone_BTE = fetch[6:5];
    assign iBusWishbone_SEL = 4'hF, iBusWishbone_DAT_MOSI = fetch;
    assign dBusWishbone_CYC = data[0], dBusWishbone_STB = data[0], dBusWishbone_WE = data[1];
    assign dBusWishbone_ADR = data[31:2], dBusWishbone_CTI = cti[5:3], dBusWishbone_BTE = data[6:5];
    assign dBusWishbone_SEL = 4'hF, dBusWishbone_DAT_MOSI = data;
endmodule
