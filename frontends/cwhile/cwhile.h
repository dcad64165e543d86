/* The Cwhile frontend as the list of languages sees it. */
#ifndef HEDDLE_FRONTENDS_CWHILE_CWHILE_H
#define HEDDLE_FRONTENDS_CWHILE_CWHILE_H

#include "frontends/frontend.h"

extern const hd_frontend hd_frontend_cwhile;

#endif
