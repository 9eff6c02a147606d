// SPDX-License-Identifier: MIT

#include "backstitch/base.h"

const char *bks_status_text(bks_status status)
{
    switch (status) {
#define STATUS_CASE(name, value, text) \
    case name:                         \
        return text;
        BKS_STATUS_MAP(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}

const char *bks_status_name(bks_status status)
{
    switch (status) {
#define STATUS_CASE(name, value, text) \
    case name:                         \
        return #name;
        BKS_STATUS_MAP(STATUS_CASE)
#undef STATUS_CASE
    }
    return "BKS_ERR_UNKNOWN";
}
