// SPDX-License-Identifier: MIT

// Reads any text as an invitation. An accepted invitation must be the same after it is written and
// read again. The error of a refused one must name a place within the text.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/match.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void read_again(const bks_invitation *invitation)
{
    char text[BKS_INVITATION_BYTES_MAX];
    must(memchr(invitation->address, 0, sizeof(invitation->address)) != NULL);
    must(bks_invitation_format(invitation, text, sizeof(text)) == BKS_OK);
    bks_invitation again;
    must(bks_invitation_parse(text, &again, NULL) == BKS_OK);
    must(again.is_for_watching == invitation->is_for_watching);
    must(strcmp(again.address, invitation->address) == 0);
    must(memcmp(again.key, invitation->key, sizeof(again.key)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    // Copy the text to exactly its size, so that a read behind its end is found.
    char *text = malloc(count + 1);
    must(text != NULL);
    memcpy(text, bytes, count);
    text[count] = '\0';
    bks_invitation invitation;
    bks_error error = {0};
    bks_status status = bks_invitation_parse(text, &invitation, &error);
    if (status == BKS_OK) {
        read_again(&invitation);
    } else {
        must(status == BKS_ERR_BAD_ARGUMENT && error.code == status);
        must(error.offset_bytes <= strlen(text));
        must(error.text[0] != '\0');
    }
    free(text);
    return 0;
}
