/* The vector table of the MK20DX256 (K20P64M72SF1RM, "Interrupt channel assignments") and, behind it, the flash
 * configuration field. Every handler is weak, so that a program takes an interrupt by defining the function. */
#include "armv7m_vectors.h"
#include "mk20dx256.h"

/* Number and name of each interrupt; the gaps are reserved on this part. */
#define INTERRUPTS(X) \
    X(0, DMA0) X(1, DMA1) X(2, DMA2) X(3, DMA3) X(4, DMA4) X(5, DMA5) X(6, DMA6) X(7, DMA7) X(8, DMA8) X(9, DMA9) \
    X(10, DMA10) X(11, DMA11) X(12, DMA12) X(13, DMA13) X(14, DMA14) X(15, DMA15) X(16, DMA_Error) X(18, FTFL) \
    X(19, Read_Collision) X(20, LVD_LVW) X(21, LLW) X(22, Watchdog) X(24, I2C0) X(25, I2C1) X(26, SPI0) X(27, SPI1) \
    X(29, CAN0_Message_Buffer) X(30, CAN0_Bus_Off) X(31, CAN0_Error) X(32, CAN0_Tx_Warning) X(33, CAN0_Rx_Warning) \
    X(34, CAN0_Wake_Up) X(35, I2S0_Tx) X(36, I2S0_Rx) X(44, UART0_LON) X(45, UART0_RX_TX) X(46, UART0_ERR) \
    X(47, UART1_RX_TX) X(48, UART1_ERR) X(49, UART2_RX_TX) X(50, UART2_ERR) X(57, ADC0) X(58, ADC1) X(59, CMP0) \
    X(60, CMP1) X(61, CMP2) X(62, FTM0) X(63, FTM1) X(64, FTM2) X(65, CMT) X(66, RTC) X(67, RTC_Seconds) X(68, PIT0) \
    X(69, PIT1) X(70, PIT2) X(71, PIT3) X(72, PDB0) X(73, USB0) X(74, USBDCD) X(81, DAC0) X(83, TSI0) X(84, MCG) \
    X(85, LPTimer) X(87, PORTA) X(88, PORTB) X(89, PORTC) X(90, PORTD) X(91, PORTE) X(94, SWI)

#define DECLARE(number, name) HANDLER(name##_IRQHandler);
#define ENTRY(number, name) [16 + number] = name##_IRQHandler,

INTERRUPTS(DECLARE)

/* The watchdog is on after reset and bites unless it is unlocked within 256 bus clocks, which is sooner than RAM is
 * initialised. The second key comes within 20 bus clocks of the first; one more clock, and the settings can be written
 * ("Unlocking and updating the watchdog"). All but its enable stay as reset leaves them. */
static void Watchdog_Reset_Handler(void) {
    WDOG_UNLOCK = 0xC520;
    WDOG_UNLOCK = 0xD928;
    __asm volatile("nop\n\tnop");
    WDOG_STCTRLH = WDOG_STCTRLH_AFTER_RESET & ~WDOG_STCTRLH_WDOGEN;
    Reset_Handler();
}

/* The field at 0x400 ("Flash configuration field"): no backdoor key, nothing protected, FSEC unsecured, FOPT as erased. */
__attribute__((section(".isr_vector"), used)) static const struct {
    vector vectors[0x400 / sizeof(vector)];
    uint32_t flash_configuration[4];
} start_of_flash = {
    .vectors = {
        SYSTEM_VECTORS(Watchdog_Reset_Handler),
        INTERRUPTS(ENTRY)
    },
    .flash_configuration = {0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFEu},
};
