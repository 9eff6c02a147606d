// SPDX-License-Identifier: MIT

/// @file report.h
/// Reports of failures to the log sink and into a bks_error.

#ifndef BKSI_REPORT_H
#define BKSI_REPORT_H

#include "backstitch/base.h"

/// Plural ending: "s", or "" for one.
#define BKSI_PLURAL(count) ((count) == 1 ? "" : "s")

/// Send one line to the log sink. If there is no sink, the line is not formatted.
void bksi_log(bks_log_level level, const char *id, const char *format, ...) BKS_PRINTF(3, 4);

/// Fail: fill `error` (may be NULL), log the sentence at error level under `id`, return `code`.
/// `field` names the wrong field of a config: a static string or NULL. The sentence names the value
/// and the range.
bks_status bksi_fail(bks_error *error, bks_status code, const char *id, const char *field,
                     const char *format, ...) BKS_PRINTF(5, 6);

/// Fail because of wrong bytes: the sentence ends with " at byte OFFSET".
bks_status bksi_fail_at(bks_error *error, bks_status code, const char *id, uint64_t offset_bytes,
                        const char *format, ...) BKS_PRINTF(5, 6);

/// Fail with BKS_ERR_BAD_ARGUMENT for a NULL argument: "NAME is NULL, must not be", logged under
/// `call`.
bks_status bksi_fail_null(bks_error *error, const char *call, const char *name);

/// Return BKS_ERR_BAD_ARGUMENT from a public function if `argument` is NULL, and log the names of
/// both.
#define BKSI_REFUSE_NULL(error, argument)                        \
    do {                                                         \
        if ((argument) == NULL) {                                \
            return bksi_fail_null((error), __func__, #argument); \
        }                                                        \
    } while (0)

/// Return `value` from a public function if `argument` is NULL, and log the names of both. `value`
/// is empty if the function returns nothing.
#define BKSI_REFUSE_NULL_OR(value, argument)                 \
    do {                                                     \
        if ((argument) == NULL) {                            \
            (void)bksi_fail_null(NULL, __func__, #argument); \
            return value;                                    \
        }                                                    \
    } while (0)

/// Return from the enclosing function with the status of a call, if the call failed.
#define BKSI_TRY(call)                   \
    do {                                 \
        const bks_status tried = (call); \
        if (tried != BKS_OK) {           \
            return tried;                \
        }                                \
    } while (0)

// Assert guards only what our own code can break. Arguments of public calls and bytes from a
// network or a file are checked in every build instead.

#ifndef NDEBUG
/// Stop the program if `condition` is false. Assert one condition at a time.
#define BKS_ASSERT(condition) \
    ((condition) ? (void)0 : bksi_assert_failed(#condition, __FILE__, __LINE__))
#else
#define BKS_ASSERT(condition) ((void)sizeof(condition))
#endif

/// Log the failed assert and abort.
_Noreturn void bksi_assert_failed(const char *condition, const char *file, int line);

#endif
