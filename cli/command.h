/* The subcommands: one file each, cmd_NAME.c. Each takes parsed options and returns an exit code. */
#ifndef HEDDLE_CLI_COMMAND_H
#define HEDDLE_CLI_COMMAND_H

#include "core/base/option.h"

int hdi_cmd_check(const hd_options *options);
int hdi_cmd_repair(const hd_options *options);
int hdi_cmd_explore(const hd_options *options);
int hdi_cmd_project(const hd_options *options);
int hdi_cmd_convert(const hd_options *options);
int hdi_cmd_replay(const hd_options *options);
int hdi_cmd_doctor(const hd_options *options);

/* Tells a wrong command line (HD001) on standard error and returns its exit code, 2. */
HD_PRINTF(3, 4)
int hdi_usage_error(const hd_options *options, const char *hint, const char *format, ...);

#endif
