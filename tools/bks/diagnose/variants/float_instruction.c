// SPDX-License-Identifier: MIT

#include "diagnose/variants/float_instruction.h"

#include <string.h>

/// Prefixes that choose among the forms of an opcode.
typedef enum form { SINGLES = 0, DOUBLES = 1, ONE_SINGLE = 2, ONE_DOUBLE = 3 } form;

enum { MAP_PLAIN = 1, MAP_FMA = 2, VECTOR_BYTES = 16 };

/// What stands before the opcode.
typedef struct prefix {
    form form;
    uint32_t map;
    bool is_vex;
    bool is_wide;   // W
    bool is_256;    // L
    uint32_t reg;   // 0 or 8, added to the target's number
    uint32_t index; // 0 or 8
    uint32_t base;  // 0 or 8
} prefix;

static const uint8_t *read_vex(const uint8_t *at, prefix *out)
{
    const bool is_long = *at++ == 0xC4;
    out->is_vex = true;
    out->reg = (*at & 0x80) == 0 ? 8 : 0;
    out->map = MAP_PLAIN;
    if (is_long) {
        out->index = (*at & 0x40) == 0 ? 8 : 0;
        out->base = (*at & 0x20) == 0 ? 8 : 0;
        out->map = *at++ & 0x1F;
        out->is_wide = (*at & 0x80) != 0;
    }
    out->is_256 = (*at & 4) != 0;
    out->form = *at & 3;
    return at + 1;
}

static const uint8_t *read_legacy(const uint8_t *at, prefix *out)
{
    for (;; at++) {
        if (*at == 0xF2 || *at == 0xF3) {
            out->form = *at == 0xF2 ? ONE_DOUBLE : ONE_SINGLE;
        } else if (*at == 0x66) {
            out->form = out->form == SINGLES ? DOUBLES : out->form;
        } else {
            break;
        }
    }
    if ((*at & 0xF0) == 0x40) { // REX
        out->is_wide = (*at & 8) != 0;
        out->reg = (*at & 4) != 0 ? 8 : 0;
        out->index = (*at & 2) != 0 ? 8 : 0;
        out->base = (*at & 1) != 0 ? 8 : 0;
        at++;
    }
    out->map = *at == 0x0F ? MAP_PLAIN : 0;
    return at + 1;
}

// Numbers of one width, in all lanes or in the lowest.
static bool set_numbers(const prefix *p, bool is_double, bool is_one, float_instruction *out)
{
    out->source_bytes = is_double ? 8 : 4;
    out->target_bytes = out->source_bytes;
    out->lanes = is_one ? 1 : VECTOR_BYTES * (p->is_256 ? 2u : 1u) / out->target_bytes;
    return true;
}

static bool set_integers(const prefix *p, uint8_t code, float_instruction *out)
{
    const bool is_one = p->form == ONE_SINGLE || p->form == ONE_DOUBLE;
    out->gives_integers = true;
    if ((code == 0x2C || code == 0x2D) && is_one) {
        out->is_general = true;
        out->lanes = 1;
        out->source_bytes = p->form == ONE_DOUBLE ? 8 : 4;
        out->target_bytes = p->is_wide ? 8 : 4;
        return true;
    }
    const bool is_of_singles = code == 0x5B && (p->form == DOUBLES || p->form == ONE_SINGLE);
    const bool is_of_doubles = code == 0xE6 && (p->form == DOUBLES || p->form == ONE_DOUBLE);
    out->source_bytes = is_of_doubles ? 8 : 4;
    out->target_bytes = 4;
    out->lanes = VECTOR_BYTES * (p->is_256 ? 2u : 1u) / out->source_bytes;
    return is_of_singles || is_of_doubles;
}

static bool set_kind(const prefix *p, uint8_t code, float_instruction *out)
{
    if (p->map == MAP_FMA && p->is_vex && p->form == DOUBLES) {
        const uint8_t low = code & 0xF;
        return code >= 0x96 && code <= 0xBF && low >= 6 &&
               set_numbers(p, p->is_wide, low >= 9 && low % 2 == 1, out);
    }
    if (p->map != MAP_PLAIN) {
        return false;
    }
    switch (code) {
    case 0x51: // square root
    case 0x58: // +
    case 0x59: // *
    case 0x5C: // -
    case 0x5E: // /
        return set_numbers(p, p->form == DOUBLES || p->form == ONE_DOUBLE, p->form >= ONE_SINGLE,
                           out);
    case 0x7C: // + and - of neighbours
    case 0x7D:
    case 0xD0:
        return set_numbers(p, p->form == DOUBLES, false, out);
    case 0x2C:
    case 0x2D:
    case 0x5B:
    case 0xE6:
        return set_integers(p, code, out);
    default:
        return false;
    }
}

static const uint8_t *read_displacement(const uint8_t *at, uint32_t bytes, float_instruction *out)
{
    if (bytes == 1) {
        out->displacement = (int8_t)*at;
    } else if (bytes == 4) {
        memcpy(&out->displacement, at, sizeof(out->displacement));
    }
    return at + bytes;
}

static const uint8_t *read_operands(const uint8_t *at, const prefix *p, float_instruction *out)
{
    const uint32_t mode = *at >> 6;
    const uint32_t low = *at & 7;
    out->target = (*at++ >> 3 & 7) + p->reg;
    out->source = low + p->base;
    out->is_in_memory = mode != 3;
    out->base = out->source;
    out->index = FLOAT_NO_REGISTER;
    if (!out->is_in_memory) {
        return at;
    }
    bool is_bare = mode == 0 && low == 5; // a displacement alone
    out->is_relative = is_bare;
    if (low == 4) {
        const uint32_t index = (*at >> 3 & 7) + p->index;
        out->index = index != 4 ? index : FLOAT_NO_REGISTER; // the stack pointer is none
        out->scale = UINT32_C(1) << (*at >> 6);
        out->base = (*at & 7) + p->base;
        is_bare = mode == 0 && (*at & 7) == 5;
        at++;
    }
    out->base = is_bare ? FLOAT_NO_REGISTER : out->base;
    return read_displacement(at, mode == 1 ? 1 : mode == 2 || is_bare ? 4 : 0, out);
}

bool float_instruction_read(const uint8_t *code, float_instruction *out)
{
    prefix p = {0};
    *out = (float_instruction){0};
    const bool is_vex = *code == 0xC4 || *code == 0xC5;
    const uint8_t *at = is_vex ? read_vex(code, &p) : read_legacy(code, &p);
    if (!set_kind(&p, *at, out)) {
        return false;
    }
    out->length = (uint32_t)(read_operands(at + 1, &p, out) - code);
    return true;
}
