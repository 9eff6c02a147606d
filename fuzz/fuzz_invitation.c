// SPDX-License-Identifier: MIT

// Any text read as an invitation. What is read must come out the same when it is written and read
// again; what is refused names a place within the text.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "match/invitation.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void must(bool condition)
{
    if (!condition)
        abort();
}

static void read_again(const bksi_invitation *invitation)
{
    char text[sizeof(invitation->address) + 32];
    must(memchr(invitation->address, 0, sizeof(invitation->address)) != NULL);
    (void)snprintf(text, sizeof(text), "bks://%s/#%016" PRIx64, invitation->address,
                   invitation->session_id);
    bksi_invitation again;
    must(bksi_invitation_parse("fuzz", text, &again, NULL) == BKS_OK);
    must(strcmp(again.address, invitation->address) == 0);
    must(again.session_id == invitation->session_id);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    // Of just its size, so that a read behind its end is seen.
    char *text = malloc(count + 1);
    must(text != NULL);
    memcpy(text, bytes, count);
    text[count] = '\0';
    bksi_invitation invitation;
    bks_error error = {0};
    bks_status status = bksi_invitation_parse("fuzz", text, &invitation, &error);
    if (status == BKS_OK) {
        read_again(&invitation);
    } else {
        must(status == BKS_ERR_BAD_CONFIG && error.code == status);
        must(error.offset_bytes <= strlen(text));
        must(error.text[0] != '\0');
    }
    free(text);
    return 0;
}
