// SPDX-License-Identifier: MIT

#include "base/command.h"

int main(int argc, char **argv)
{
    return commands_run(argc, argv);
}
