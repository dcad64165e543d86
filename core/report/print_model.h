/* A finished model as a program of another model checker, so that it can explore the same system. */
#ifndef HEDDLE_CORE_REPORT_PRINT_MODEL_H
#define HEDDLE_CORE_REPORT_PRINT_MODEL_H

#include "core/base/buffer.h"
#include "core/model/model.h"

/* Appends the model as Promela, for SPIN, or as Murphi, for Rumur. One step of the model is one step of the program and
 * every state of the program is one of the model, so that exhaustive searches count the same states, Rumur the same
 * transitions (rules fired) and SPIN one more. Failed checks and values outside a domain become failed assertions or
 * errors of the other tool. Names are kept as far as the other language allows; a number makes each one unique.
 * HD_E_LIMIT when the model says something that the language cannot: then *why says what (static text) and `out` is
 * undefined. HD_E_NOMEM. Threads: any, on one buffer each. Cost: linear in edges x instances; for rendezvous in Murphi,
 * in pairs of edges that can meet.
 * @source G. J. Holzmann, The SPIN Model Checker, 2003; D. L. Dill, "The Murphi verification system", CAV 1996. */
hd_status hd_model_print_promela(const hd_model *model, hd_buffer *out, const char **why);
hd_status hd_model_print_murphi(const hd_model *model, hd_buffer *out, const char **why);

#endif
