/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/version.c - `rackrate version`. */
#include "sim/cli/cli.h"

static const struct rr_option options[] = {{0, "json", NULL, false, "one JSON document"}};

static enum rr_status version_run(const struct rr_args *args)
{
    if (rr_arg_given(&rr_command_version, args, "json"))
        rr_say("{\"schema\": \"rackrate.version/1\", \"version\": \"" RR_VERSION "\"}\n");
    else
        rr_say("rackrate " RR_VERSION "\n");
    return RR_OK;
}

const struct rr_command rr_command_version = {
    .name = "version",
    .summary = "the version of this program",
    .usage = "[--json]",
    .examples = "rackrate version",
    .options = options,
    .n_options = 1,
    .run = version_run,
};
