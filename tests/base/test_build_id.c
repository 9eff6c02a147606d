// SPDX-License-Identifier: MIT

#define _GNU_SOURCE // RTLD_DEFAULT

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/base.h"

static const char here = 0;

static void the_program_is_the_object_of_its_own_addresses(void **state)
{
    (void)state;
    char program[BKS_BUILD_ID_CHARS];
    char own[BKS_BUILD_ID_CHARS];
    assert_true(bks_build_id(NULL, program));
    assert_true(bks_build_id(&here, own));
    assert_string_equal(program, own);
    assert_in_range(strlen(own), 16, BKS_BUILD_ID_CHARS - 1);
    assert_int_equal(strspn(own, "0123456789abcdef"), strlen(own));
}

// The linker's note ends with the id: it is read from the file, where nothing is looked for.
static void it_is_what_the_linker_wrote_into_the_file(void **state)
{
    (void)state;
    static uint8_t bytes[1 << 16];
    static const uint8_t head[] = {4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};
    char found[BKS_BUILD_ID_CHARS];
    char expected[BKS_BUILD_ID_CHARS] = "";
    FILE *file = fopen("/proc/self/exe", "rb");
    assert_non_null(file);
    const size_t count = fread(bytes, 1, sizeof(bytes), file);
    (void)fclose(file);
    const uint8_t *note = memmem(bytes, count, head, sizeof(head));
    if (note == NULL) {
        skip(); // linked with an id of another length
    }
    for (size_t i = 0; i < 20; i++) {
        (void)snprintf(expected + 2 * i, 3, "%02x", note[sizeof(head) + i]);
    }
    assert_true(bks_build_id(NULL, found));
    assert_string_equal(found, expected);
}

static void a_library_has_its_own(void **state)
{
    (void)state;
    char program[BKS_BUILD_ID_CHARS];
    char library[BKS_BUILD_ID_CHARS];
    const void *address = dlsym(RTLD_DEFAULT, "_cmocka_run_group_tests");
    assert_non_null(address);
    assert_true(bks_build_id(NULL, program));
    assert_true(bks_build_id(address, library));
    assert_string_not_equal(program, library);
}

static void what_no_object_holds_has_none(void **state)
{
    (void)state;
    char out[BKS_BUILD_ID_CHARS] = "x";
    void *memory = malloc(1);
    assert_non_null(memory);
    assert_false(bks_build_id(memory, out));
    assert_string_equal(out, "");
    assert_false(bks_build_id(NULL, NULL));
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_is_the_object_of_its_own_addresses),
        cmocka_unit_test(it_is_what_the_linker_wrote_into_the_file),
        cmocka_unit_test(a_library_has_its_own),
        cmocka_unit_test(what_no_object_holds_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
