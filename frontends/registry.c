/* The list of languages, and nothing else: this file and the command are the only places that know it (a test program
 * that defines hd_frontends itself therefore replaces the list, because the linker then leaves this object out).
 *
 * Order matters only for inputs without a known ending: the first frontend whose sniff takes the text gets it. */
#include "frontends/choreography/frontend.h"
#include "frontends/cwhile/cwhile.h"
#include "frontends/frontend.h"

#include <stddef.h>

const hd_frontend *const hd_frontends[] = {&hd_frontend_choreography, &hd_frontend_cwhile, NULL};
