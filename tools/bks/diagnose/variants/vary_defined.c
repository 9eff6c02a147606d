// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/variants/variants.h"

#include "base/text.h"
#include "diagnose/processes/variant_process.h"

#if defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <valgrind/memcheck.h>

#include "diagnose/variants/complaint.h"
#define HAS_MEMCHECK
#endif
#endif

#ifdef HAS_MEMCHECK

static void prepare_defined(variant_process *variant)
{
    variant->stepper.leaves_stack = true;
}

static const char *why_not_defined(const variant_process *variant)
{
    (void)variant;
    return RUNNING_ON_VALGRIND > 0
               ? NULL
               : "valgrind is not installed, or cannot run this build of bks (sanitizers)";
}

// Return true if some bytes in memory were never written. Valgrind then prints their origin.
static bool is_undefined(const void *memory, size_t count)
{
    return VALGRIND_CHECK_MEM_IS_DEFINED(memory, count) != 0;
}

static unsigned errors_so_far(void)
{
    return VALGRIND_COUNT_ERRORS;
}

// Copy bytes, and flip in the copy all bits that the game never wrote. Tell valgrind that the bytes
// and their copy have been written.
static void flip_undefined(const uint8_t *bytes, uint8_t *copy, uint8_t *bits, size_t count)
{
    (void)VALGRIND_GET_VBITS(bytes, bits, count);
    (void)VALGRIND_MAKE_MEM_DEFINED(bytes, count);
    for (size_t i = 0; i < count; i++) {
        copy[i] = bytes[i] ^ bits[i];
    }
}

// ---- valgrind's output ----

static unsigned errors_before; // number of valgrind's errors up to the last mark
static off_t complaints_begin; // offset in valgrind's output of the complaints since the last mark

static off_t complaints_end(int file)
{
    const off_t end = lseek(file, 0, SEEK_END);
    return end > 0 ? end : 0;
}

// Read what valgrind has printed since the last mark. If that is long, read only its end.
static const char *read_complaints(void)
{
    static char text[32768];
    size_t length = 0;
    const int file = open("/proc/self/fd/2", O_RDONLY | O_CLOEXEC);
    const off_t end = file >= 0 ? complaints_end(file) : 0;
    const off_t least = end - ((off_t)sizeof(text) - 1);
    const off_t begin = complaints_begin > least ? complaints_begin : least;
    if (file >= 0 && lseek(file, begin, SEEK_SET) == begin) {
        for (ssize_t count = 1; count > 0 && length + 1 < sizeof(text);) {
            count = read(file, text + length, sizeof(text) - 1 - length);
            length += count > 0 ? (size_t)count : 0;
        }
    }
    if (file >= 0) {
        (void)close(file);
    }
    text[length] = '\0';
    return text;
}

static void pass_complaints(void)
{
    const unsigned errors = errors_so_far();
    const int file = errors != errors_before ? open("/proc/self/fd/2", O_RDONLY | O_CLOEXEC) : -1;
    errors_before = errors;
    if (file >= 0) {
        complaints_begin = complaints_end(file);
        (void)close(file);
    }
}

// Append the origin of the unwritten bytes to the finding's note, if valgrind names it.
static void name_origin(check_finding *found)
{
    complaint_frame frame;
    if (complaint_origin(read_complaints(), &frame)) {
        TEXT_ADD(found->note, "%sthey come from %s%s%s%s", found->note[0] != '\0' ? "; " : "",
                 frame.function, frame.line[0] != '\0' ? " (" : "", frame.line,
                 frame.line[0] != '\0' ? ")" : "");
    }
}

static void set_line(const complaint_frame *frame, code_line *out)
{
    TEXT_SET(out->line, "%s", frame->line);
    TEXT_SET(out->function, "%s", frame->function);
    if (frame->line[0] == '\0') {
        TEXT_SET(out->why, "valgrind found no line of the game, expected "
                           "a build with -g");
    }
}

// ---- check of the state's bytes ----

static void find_bytes(variant_process *variant, bks_tick tick, const char *mark, size_t count)
{
    check_finding *found = &variant->tape->result.found;
    uint8_t *copy = calloc(1, count);
    uint8_t *bits = calloc(1, count);
    variant_find(variant, tick, mark, "", "");
    variant->has_unnamed = false;
    if (copy != NULL && bits != NULL) {
        flip_undefined(variant->bytes, copy, bits, count);
        const bks_compared_state a = {.bytes = variant->bytes, .count = count};
        const bks_compared_state b = {.bytes = copy, .count = count};
        variant_name(&variant->stepper.game, &a, &b, found);
    }
    TEXT_SET(found->b, "was never written");
    name_origin(found);
    free(copy);
    free(bits);
}

static void find_branch(variant_process *variant, bks_tick tick, const char *mark)
{
    check_finding *found = &variant->tape->result.found;
    complaint_frame frame;
    variant_find(variant, tick, mark, "", "decides by bytes that were never written");
    name_origin(found);
    if (complaint_branch(read_complaints(), &frame)) {
        set_line(&frame, &found->written_b);
    }
}

// Record a finding if the step used memory that the game has freed or never allocated.
// @return false if valgrind did not complain about such memory
static bool find_invalid(variant_process *variant, bks_tick tick, const char *mark)
{
    check_finding *found = &variant->tape->result.found;
    complaint_frame frame;
    char text[96];
    if (!complaint_invalid(read_complaints(), text, sizeof(text), &frame)) {
        return false;
    }
    variant_find(variant, tick, mark, "", text);
    found->uses_freed = true;
    set_line(&frame, &found->written_b);
    return true;
}

static void compare_defined(variant_process *variant, bks_tick tick, const char *mark)
{
    const bool has_branched = errors_so_far() != errors_before;
    if (variant_has_found(variant) && !variant->has_unnamed) {
        return;
    }
    const size_t count = stepper_bytes(&variant->stepper, variant->bytes, variant->bytes_capacity);
    bool is_bad = false;
    if (stepper_has_hash(&variant->stepper)) {
        const uint64_t hash = bks_runner_hash(variant->stepper.runner);
        is_bad = is_undefined(&hash, sizeof(hash));
    }
    // If the game has its own hash, and the hash does not depend on bytes that were never written,
    // such bytes are allowed.
    const bool has_bad_bytes =
        (is_bad || !stepper_has_hash(&variant->stepper)) && is_undefined(variant->bytes, count);
    if (has_branched && !variant->has_unnamed && find_invalid(variant, tick, mark)) {
        variant->has_unnamed = false;
    } else if (has_bad_bytes) {
        find_bytes(variant, tick, mark, count);
    } else if (is_bad || has_branched) {
        find_branch(variant, tick, mark);
        // If the hash was computed from unwritten bytes, the field with these bytes is not known
        // yet: search for it at later marks.
        variant->has_unnamed = is_bad;
    }
    variant->tape->result.perturbed++;
    pass_complaints();
}

static void step_defined(variant_process *variant, bks_tick tick)
{
    pass_complaints();
    variant_step(variant, tick);
}

#else

static const char *why_not_defined(const variant_process *variant)
{
    (void)variant;
#ifdef _WIN32
    return "not on Windows: there is no valgrind";
#else
    return "this bks is built without valgrind's header (valgrind/memcheck.h)";
#endif
}

#endif

const check_variant vary_defined = {
    .name = "defined",
    .about = "under valgrind, which knows which bytes were written and which are allocated: "
             "uninitialised reads that `fill` does not show, with their source line, and uses "
             "of heap memory after free()",
    .unit = "mark",
    .perturbed = "under valgrind",
    .cause = "uninitialised",
    .process = CHECK_WATCHED,
    .reloads = true,
    .advice = "look for a variable or fresh memory that is read before it is written, and for "
              "a struct on the stack whose padding is copied into the state",
    .why_not = why_not_defined,
#ifdef HAS_MEMCHECK
    .before_load = prepare_defined,
    .step = step_defined,
    .compare = compare_defined,
#else
    .step = variant_step,
#endif
};
