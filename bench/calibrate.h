/* The calibration kernel: what this machine's memory gives, in the terms of a visited set. */
#ifndef HEDDLE_BENCH_CALIBRATE_H
#define HEDDLE_BENCH_CALIBRATE_H

#include "core/base/status.h"

#include <stdint.h>

/* Fills tables of 64-bit keys, 256 MiB in all and one for each of `threads` threads, to 60 %; *rate is millions of
 * insertions a second, all threads together. Cost: 256 MiB and about a second. HD_E_NOMEM. */
hd_status hd_calibrate(uint32_t threads, double *rate);

#endif
