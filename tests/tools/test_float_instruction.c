// SPDX-License-Identifier: MIT

#include "diagnose/variants/float_catch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// Bytes that an assembler made of the instruction's name.
typedef struct example {
    const char *name;
    uint8_t code[12];
    float_instruction wanted;
} example;

#define NONE FLOAT_NO_REGISTER

static const example calculations[] = {
    {"divps %xmm1,%xmm0",
     {0x0F, 0x5E, 0xC1},
     {.lanes = 4, .target_bytes = 4, .source_bytes = 4, .source = 1, .base = 1, .length = 3}},
    {"sqrtsd 16(%rax,%rcx,8),%xmm9",
     {0xF2, 0x44, 0x0F, 0x51, 0x4C, 0xC8, 0x10},
     {.target = 9,
      .lanes = 1,
      .target_bytes = 8,
      .source_bytes = 8,
      .is_in_memory = true,
      .source = 4,
      .base = 0,
      .index = 1,
      .scale = 8,
      .displacement = 16,
      .length = 7}},
    {"mulsd 0x12345678(,%r12,4),%xmm1",
     {0xF2, 0x42, 0x0F, 0x59, 0x0C, 0xA5, 0x78, 0x56, 0x34, 0x12},
     {.target = 1,
      .lanes = 1,
      .target_bytes = 8,
      .source_bytes = 8,
      .is_in_memory = true,
      .source = 4,
      .base = NONE,
      .index = 12,
      .scale = 4,
      .displacement = 0x12345678,
      .length = 10}},
    {"hsubps %xmm1,%xmm0",
     {0xF2, 0x0F, 0x7D, 0xC1},
     {.lanes = 4, .target_bytes = 4, .source_bytes = 4, .source = 1, .base = 1, .length = 4}},
    {"vaddps %xmm1,%xmm9,%xmm2",
     {0xC5, 0xB0, 0x58, 0xD1},
     {.target = 2,
      .lanes = 4,
      .target_bytes = 4,
      .source_bytes = 4,
      .source = 1,
      .base = 1,
      .length = 4}},
    {"vfmadd231ss %xmm1,%xmm2,%xmm3",
     {0xC4, 0xE2, 0x69, 0xB9, 0xD9},
     {.target = 3,
      .lanes = 1,
      .target_bytes = 4,
      .source_bytes = 4,
      .source = 1,
      .base = 1,
      .length = 5}},
    {"vfnmadd213pd (%rdi),%ymm2,%ymm3",
     {0xC4, 0xE2, 0xED, 0xAC, 0x1F},
     {.target = 3,
      .lanes = 4,
      .target_bytes = 8,
      .source_bytes = 8,
      .is_in_memory = true,
      .source = 7,
      .base = 7,
      .index = NONE,
      .length = 5}},
    {"cvttss2si %xmm8,%eax",
     {0xF3, 0x41, 0x0F, 0x2C, 0xC0},
     {.gives_integers = true,
      .is_general = true,
      .lanes = 1,
      .target_bytes = 4,
      .source_bytes = 4,
      .source = 8,
      .base = 8,
      .length = 5}},
    {"cvttsd2si -0x4(%rsp),%r10",
     {0xF2, 0x4C, 0x0F, 0x2C, 0x54, 0x24, 0xFC},
     {.gives_integers = true,
      .is_general = true,
      .target = 10,
      .lanes = 1,
      .target_bytes = 8,
      .source_bytes = 8,
      .is_in_memory = true,
      .source = 4,
      .base = 4,
      .index = NONE,
      .scale = 1,
      .displacement = -4,
      .length = 7}},
    {"cvttsd2si 0x1234(%rip),%ecx",
     {0xF2, 0x0F, 0x2C, 0x0D, 0x34, 0x12, 0x00, 0x00},
     {.gives_integers = true,
      .is_general = true,
      .target = 1,
      .lanes = 1,
      .target_bytes = 4,
      .source_bytes = 8,
      .is_in_memory = true,
      .source = 5,
      .is_relative = true,
      .base = NONE,
      .index = NONE,
      .displacement = 0x1234,
      .length = 8}},
    {"cvttps2dq %xmm4,%xmm5",
     {0xF3, 0x0F, 0x5B, 0xEC},
     {.gives_integers = true,
      .target = 5,
      .lanes = 4,
      .target_bytes = 4,
      .source_bytes = 4,
      .source = 4,
      .base = 4,
      .length = 4}},
    {"vcvttpd2dq %ymm4,%xmm5",
     {0xC5, 0xFD, 0xE6, 0xEC},
     {.gives_integers = true,
      .target = 5,
      .lanes = 4,
      .target_bytes = 4,
      .source_bytes = 8,
      .source = 4,
      .base = 4,
      .length = 4}},
};

static void expect_whole(const example *e)
{
    const float_instruction *w = &e->wanted;
    float_instruction got;
    if (!float_instruction_read(e->code, &got)) {
        fail_msg("%s is not known", e->name);
    }
    if (got.gives_integers != w->gives_integers || got.is_general != w->is_general ||
        got.target != w->target || got.lanes != w->lanes || got.target_bytes != w->target_bytes ||
        got.source_bytes != w->source_bytes || got.is_in_memory != w->is_in_memory ||
        got.length != w->length) {
        fail_msg("%s is read otherwise", e->name);
    }
    if (w->is_in_memory ? got.is_relative != w->is_relative || got.base != w->base ||
                              got.index != w->index || got.displacement != w->displacement ||
                              (got.index != NONE && got.scale != w->scale)
                        : got.source != w->source) {
        fail_msg("%s has another operand", e->name);
    }
}

static void calculations_and_conversions_are_read_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(calculations) / sizeof(calculations[0]); i++) {
        expect_whole(&calculations[i]);
    }
}

static void what_comes_to_the_same_everywhere_is_left_alone(void **state)
{
    (void)state;
    static const example examples[] = {
        {.name = "comiss %xmm1,%xmm0", .code = {0x0F, 0x2F, 0xC1}},
        {.name = "cvtdq2ps %xmm1,%xmm0", .code = {0x0F, 0x5B, 0xC1}},
        {.name = "cvtdq2pd %xmm1,%xmm0", .code = {0xF3, 0x0F, 0xE6, 0xC1}},
        {.name = "minps %xmm1,%xmm0", .code = {0x0F, 0x5D, 0xC1}},
        {.name = "maxsd %xmm1,%xmm0", .code = {0xF2, 0x0F, 0x5F, 0xC1}},
        {.name = "cmpltps %xmm1,%xmm0", .code = {0x0F, 0xC2, 0xC1, 0x01}},
        {.name = "movaps %xmm1,%xmm2", .code = {0x0F, 0x28, 0xD1}},
        {.name = "divss %fs:8,%xmm0",
         .code = {0x64, 0xF3, 0x0F, 0x5E, 0x04, 0x25, 0x08, 0x00, 0x00, 0x00}},
        {.name = "a vector of AVX-512", .code = {0x62, 0xF1, 0x7C, 0x48, 0x5E, 0xC1}},
    };
    for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
        float_instruction got;
        if (float_instruction_read(examples[i].code, &got)) {
            fail_msg("%s is read as a calculation", examples[i].name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calculations_and_conversions_are_read_whole),
        cmocka_unit_test(what_comes_to_the_same_everywhere_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
