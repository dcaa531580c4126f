/*
 * ledger_chain.h - each entry's hash covers its contents and the hash before it
 *
 * A row that is changed, moved, removed or inserted breaks the chain from there on; the head that
 * is stored with every charge shows whether rows were cut off the end.
 */
#ifndef SOTTO_LEDGER_CHAIN_H
#define SOTTO_LEDGER_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOTTO_HASH_BYTES = 32, SOTTO_HASH_HEX = 2 * SOTTO_HASH_BYTES + 1 };

/* A cost as it is stored: exact, as sotto_rational_format writes it. */
struct sotto_chain_cost {
	bool bounded;
	const char *epsilon, *delta, *rho;
};

/* One part of a release; all parts are charged together or not at all. */
struct sotto_chain_part {
	const char *what;
	struct sotto_chain_cost cost;
};

/*
 * Rows of format 1, written by the first version, have no kind, data or parts, and keep its hash.
 */
enum { SOTTO_CHAIN_FORMAT_OLD = 1, SOTTO_CHAIN_FORMAT = 2 };

/* An entry as it is stored; every pointer is borrowed. */
struct sotto_chain_row {
	int format;
	int kind; /* enum sotto_ledger_kind */
	uint64_t number;
	int64_t time;
	const char *analyst;
	const char *query;
	const uint8_t *key; /* SOTTO_HASH_BYTES */
	const char *data;
	struct sotto_chain_cost cost;
	const struct sotto_chain_part *parts;
	size_t part_count;
};

/* Replaces hash, that of the previous row (zeros before the first), by the hash of row. */
void sotto_chain_extend(uint8_t hash[SOTTO_HASH_BYTES], const struct sotto_chain_row *row);

/* Computes the hash that binds an answer to its entry. */
void sotto_chain_answer(const uint8_t entry_hash[SOTTO_HASH_BYTES], const char *answer,
			uint8_t out[SOTTO_HASH_BYTES]);

/* Computes a fingerprint of a text; each purpose has its own. */
void sotto_chain_fingerprint(const char *purpose, const char *text,
			     uint8_t out[SOTTO_HASH_BYTES]);

void sotto_chain_hex(const uint8_t hash[SOTTO_HASH_BYTES], char out[SOTTO_HASH_HEX]);

#endif
