/* Singularity channel contracts: a second syntax for choreographies of two peers, the client C and the server S.
 * Internal to the choreography frontend.
 *
 *   contract N { in message M(args); out message A(); state S : M? -> A! -> T; state T : { M?; A! -> S; } }
 *
 * @source the grammar as the Singularity project's design notes use it; docs/choreography-language.md */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_CONTRACT_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_CONTRACT_H

#include "frontends/choreography/draft.h"

/* Reads contracts as a choreography file: one block each, with the peers C and S (C.N and S.N when there are several
 * contracts). States between the messages of a sequence are called after the state and the messages before them
 * ("Decide.cancel": no name of a contract has a point). Spans are those of the contract's text. HD_E_INPUT with
 * diagnostics; HD_E_NOMEM, HD_E_LIMIT. O(size). */
hd_status hd_contract_read(const hd_text *text, hd_diag *diag, hd_chor_file **out);

/* Does the text look like contracts? By its first word that is no comment, attribute or modifier. */
bool hd_contract_sniff(const hd_text *text);

/* The text of the file with the drafts (one per block; NULL: unchanged) written into it. Of a changed contract
 * everything up to its first state stays as it is, new messages are declared there, and its states are written anew:
 * one sequence a line, states between messages unnamed where only one sequence passes them. Contracts that are not
 * changed keep every byte. HD_E_NOMEM. */
hd_status hd_contract_patch(const hd_chor_file *file, hdi_draft *const *drafts, hd_buffer *out);

/* Where in the text the contract of this number has its first `state` and its closing brace, as offsets.
 * HD_E_INTERNAL when there is no such contract. */
hd_status hdi_contract_places(const hd_text *text, uint32_t index, uint32_t *states_at, uint32_t *close_at);

#endif
