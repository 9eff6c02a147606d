// SPDX-License-Identifier: MIT

#include "det/float_environment.h"

#include "base/report.h"

// Control registers of each processor: how to read and write them, which bits matter, and which
// faults a value has. Write only what must change, because a write takes far longer than a read.

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))

enum {
    X87_KNOWN = 0x037f,     // x87: exceptions masked, 64-bit results, rounding to nearest
    X87_MATTERS = 0x0f3f,   // x87: all bits that are not reserved
    X87_MASKS = 0x003f,     // x87: bits that mask exceptions
    X87_PRECISION = 0x0300, // x87: bits of the precision of results
    X87_ROUNDING = 0x0c00,  // x87: bits of the rounding direction
    SSE_KNOWN = 0x1f80,     // SSE: exceptions masked, rounding to nearest
    SSE_MATTERS = 0xffc0,   // SSE: all bits but the exception flags
    SSE_MASKS = 0x1f80,     // SSE: bits that mask exceptions
    SSE_MASKS_INVALID = 0x0080,
    SSE_ROUNDING = 0x6000, // SSE: bits of the rounding direction
    SSE_FLUSHES = 0x8040,  // SSE: flush-to-zero (FTZ) and denormals-are-zero (DAZ)
};

static uint32_t read_x87(void)
{
    uint16_t word = 0;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    return word;
}

static void write_x87(uint32_t value)
{
    const uint16_t word = (uint16_t)value;
    // Clear the flags, because an exception that is flagged already would be raised once its mask
    // is off.
    __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(word));
}

#if defined(__SSE__)
static uint32_t read_sse(void)
{
    uint32_t value = 0;
    __asm__ volatile("stmxcsr %0" : "=m"(value));
    return value;
}

static void write_sse(uint32_t value)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(value));
}
#else
static uint32_t read_sse(void)
{
    return SSE_KNOWN;
}

static void write_sse(uint32_t value)
{
    (void)value;
}
#endif

static bks_float_environment read_environment(void)
{
    return (bks_float_environment){.control = read_sse(), .x87 = read_x87()};
}

static void write_environment(const bks_float_environment *now, const bks_float_environment *wanted)
{
    if (now->control != wanted->control) {
        write_sse((uint32_t)wanted->control);
    }
    if (now->x87 != wanted->x87) {
        write_x87(wanted->x87);
    }
}

static bks_float_environment known_environment(const bks_float_environment *now, bool traps_invalid)
{
    const uint32_t sse = traps_invalid ? SSE_KNOWN & ~(uint32_t)SSE_MASKS_INVALID : SSE_KNOWN;
    const uint32_t x87 = traps_invalid ? X87_KNOWN & ~1u : X87_KNOWN;
    const uint32_t sse_now = (uint32_t)now->control;
    return (bks_float_environment){
        .control = (sse_now & ~(uint32_t)SSE_MATTERS) | sse,
        .x87 = (now->x87 & ~(uint32_t)X87_MATTERS) | x87,
    };
}

static uint32_t faults_of(const bks_float_environment *now)
{
    if (((now->control ^ SSE_KNOWN) & SSE_MATTERS) == 0 &&
        ((now->x87 ^ X87_KNOWN) & X87_MATTERS) == 0) {
        return 0; // the environment is the known one, which is the usual case
    }
    const uint32_t sse = (uint32_t)now->control ^ SSE_KNOWN;
    const uint32_t x87 = now->x87 ^ X87_KNOWN;
    return ((sse & SSE_ROUNDING) != 0 || (x87 & X87_ROUNDING) != 0 ? BKS_FLOAT_ROUNDS : 0u) |
           ((sse & SSE_FLUSHES) != 0 ? BKS_FLOAT_FLUSHES : 0u) |
           ((x87 & X87_PRECISION) != 0 ? BKS_FLOAT_PRECISION : 0u) |
           ((sse & SSE_MASKS) != 0 || (x87 & X87_MASKS) != 0 ? BKS_FLOAT_TRAPS : 0u);
}

#elif defined(__GNUC__) && (defined(__aarch64__) || (defined(__arm__) && defined(__ARM_FP)))

// The control registers FPCR of AArch64 and FPSCR of 32-bit Arm have these bits in common.
#define ARM_ROUNDING UINT64_C(0x00c00000)
#define ARM_FLUSHES  UINT64_C(0x01080003) // bits FZ and FZ16; on AArch64 the lowest two: FIZ, AH
#define ARM_NANS     UINT64_C(0x02000000)
#define ARM_TRAPS    UINT64_C(0x00009f00)

#if defined(__aarch64__)
#define ARM_MATTERS (ARM_ROUNDING | ARM_FLUSHES | ARM_NANS | ARM_TRAPS)

static uint64_t read_control(void)
{
    uint64_t value = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return value;
}

static void write_control(uint64_t value)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(value));
}
#else
// On 32-bit Arm the lowest bits are flags of exceptions, which do not matter.
#define ARM_MATTERS (ARM_ROUNDING | (ARM_FLUSHES & ~UINT64_C(3)) | ARM_NANS | ARM_TRAPS)

static uint64_t read_control(void)
{
    uint32_t value = 0;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(value));
    return value;
}

static void write_control(uint64_t value)
{
    __asm__ volatile("vmsr fpscr, %0" : : "r"((uint32_t)value));
}
#endif

static bks_float_environment read_environment(void)
{
    return (bks_float_environment){.control = read_control()};
}

static void write_environment(const bks_float_environment *now, const bks_float_environment *wanted)
{
    if (now->control != wanted->control) {
        write_control(wanted->control);
    }
}

static bks_float_environment known_environment(const bks_float_environment *now, bool traps_invalid)
{
    (void)traps_invalid;
    return (bks_float_environment){.control = now->control & ~ARM_MATTERS};
}

static uint32_t faults_of(const bks_float_environment *now)
{
    const uint64_t control = now->control & ARM_MATTERS;
    return ((control & ARM_ROUNDING) != 0 ? BKS_FLOAT_ROUNDS : 0u) |
           ((control & ARM_FLUSHES) != 0 ? BKS_FLOAT_FLUSHES : 0u) |
           ((control & ARM_NANS) != 0 ? BKS_FLOAT_NANS : 0u) |
           ((control & ARM_TRAPS) != 0 ? BKS_FLOAT_TRAPS : 0u);
}

#else

static bks_float_environment read_environment(void)
{
    return (bks_float_environment){0};
}

static void write_environment(const bks_float_environment *now, const bks_float_environment *wanted)
{
    (void)now;
    (void)wanted;
}

static bks_float_environment known_environment(const bks_float_environment *now, bool traps_invalid)
{
    (void)traps_invalid;
    return *now;
}

static uint32_t faults_of(const bks_float_environment *now)
{
    (void)now;
    return 0;
}

#endif

bks_float_environment bksi_float_enter(bool traps_invalid)
{
    const bks_float_environment before = read_environment();
    const bks_float_environment known = known_environment(&before, traps_invalid);
    write_environment(&before, &known);
    return before;
}

bks_float_environment bksi_float_here(void)
{
    return read_environment();
}

bks_float_environment bksi_float_take(const bks_float_environment *wanted)
{
    const bks_float_environment before = read_environment();
    write_environment(&before, wanted);
    return before;
}

uint32_t bksi_float_leave(const bks_float_environment *before)
{
    const bks_float_environment after = read_environment();
    write_environment(&after, before);
    return faults_of(&after);
}

bks_float_environment bks_float_enter(void)
{
    return bksi_float_enter(false);
}

uint32_t bks_float_leave(const bks_float_environment *before)
{
    BKSI_REFUSE_NULL_OR(0, before);
    return bksi_float_leave(before);
}

uint32_t bks_float_faults(void)
{
    const bks_float_environment now = read_environment();
    return faults_of(&now);
}

const char *bks_float_faults_text(uint32_t faults)
{
    static const char *const texts[] = {
        "",
        "rounds otherwise than to nearest",
        "flushes denormals to zero",
        "flushes denormals to zero, rounds otherwise than to nearest",
    };
    if ((faults & (BKS_FLOAT_ROUNDS | BKS_FLOAT_FLUSHES)) != 0) {
        return texts[faults & (BKS_FLOAT_ROUNDS | BKS_FLOAT_FLUSHES)];
    }
    if ((faults & BKS_FLOAT_PRECISION) != 0) {
        return "has the x87 keep fewer digits";
    }
    if ((faults & BKS_FLOAT_TRAPS) != 0) {
        return "has exceptions end the program";
    }
    if ((faults & BKS_FLOAT_NANS) != 0) {
        return "makes every NaN the default one";
    }
    return faults != 0 ? "changes what is unknown to this build" : "";
}
