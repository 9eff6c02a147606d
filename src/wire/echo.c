// SPDX-License-Identifier: MIT

#include "wire/echo.h"

void bksi_echo_write(bksi_byte_writer *writer, const bksi_echo *echo)
{
    bksi_write_u16(writer, echo->number);
    bksi_write_u16(writer, echo->stamp);
    bksi_write_u8(writer, echo->came);
    bksi_write_u8(writer, echo->hold);
}

bksi_echo bksi_echo_read(bksi_byte_reader *reader)
{
    bksi_echo echo = {0};
    echo.number = bksi_read_u16(reader);
    echo.stamp = bksi_read_u16(reader);
    echo.came = bksi_read_u8(reader);
    echo.hold = bksi_read_u8(reader);
    return echo;
}
