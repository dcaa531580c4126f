/*
 * chain.h - each entry's hash covers its contents and the hash before it
 *
 * A row that is changed, moved, dropped or slipped in breaks the chain from
 * there on; the head that is stored with every charge shows rows cut off the end.
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

/* One part of a release that is charged with the others, or not at all. */
struct sotto_chain_part {
	const char *what;
	struct sotto_chain_cost cost;
};

/*
 * Rows of format 1 have neither kind nor data nor parts; they were written by the
 * first version, and keep its hash.
 */
enum { SOTTO_CHAIN_FORMAT_OLD = 1, SOTTO_CHAIN_FORMAT = 2 };

/* An entry as it is stored; all is borrowed. */
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

/* hash <- the hash of row after the one that hash held before (zeros before the first). */
void sotto_chain_extend(uint8_t hash[SOTTO_HASH_BYTES], const struct sotto_chain_row *row);

/* Binds an answer to its entry. */
void sotto_chain_answer(const uint8_t entry_hash[SOTTO_HASH_BYTES], const char *answer,
			uint8_t out[SOTTO_HASH_BYTES]);

/* A fingerprint of a text, apart from those of other purposes. */
void sotto_chain_fingerprint(const char *purpose, const char *text,
			     uint8_t out[SOTTO_HASH_BYTES]);

void sotto_chain_hex(const uint8_t hash[SOTTO_HASH_BYTES], char out[SOTTO_HASH_HEX]);

#endif
