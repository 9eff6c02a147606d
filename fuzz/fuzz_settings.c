// SPDX-License-Identifier: MIT

// Reads any text as a file of settings. What is read lies within its ranges, and is the same once
// it was written and read again. A text that is refused is refused with a reason.

#include <stdlib.h>
#include <string.h>

#include "screen/window/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void must(bool is_so)
{
    if (!is_so) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    user_settings settings;
    user_settings again;
    bks_error error = {0};
    char text[SETTINGS_BYTES_MAX];
    const bks_status status = settings_read((const char *)bytes, count, &settings, &error);
    must(status == BKS_OK || status == BKS_ERR_DAMAGED);
    must((status == BKS_OK) == (error.text[0] == '\0'));
    must(settings.volume >= 0 && settings.volume <= SETTINGS_VOLUME_FULL);
    must(settings_read((const char *)bytes, count, &again, NULL) == status);
    const size_t written = settings_write(&settings, text);
    must(written <= sizeof(text));
    must(settings_read(text, written, &again, &error) == BKS_OK);
    must(settings_same(&settings, &again));
    return 0;
}
