/*
 * Hashes every part with its length before it; a digest that fails gives a value that no stored
 * hash matches, so that the ledger refuses.
 */
#include "core/ledger/ledger_chain.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <string.h>

#include "core/base/digest_text.h"

/* SHA-256 over length-prefixed parts, so that no two lists of parts read the same. */
struct hasher {
	EVP_MD_CTX *context;
};

static void hasher_part(struct hasher *h, const void *bytes, size_t n)
{
	uint8_t length[8];

	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)((uint64_t)n >> 8 * i);
	EVP_DigestUpdate(h->context, length, sizeof length);
	EVP_DigestUpdate(h->context, bytes, n);
}

static void hasher_text(struct hasher *h, const char *text)
{
	hasher_part(h, text, strlen(text));
}

static void hasher_number(struct hasher *h, uint64_t n)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(n >> 8 * i);
	hasher_part(h, bytes, sizeof bytes);
}

/*
 * Found once and kept until the process ends.  EVP_sha256() is looked up for each hash anew, which
 * takes longer than hashing an entry.
 */
static EVP_MD *sha256;

static void find_sha256(void)
{
	sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
}

/*
 * A failing digest leaves `out` all ones, which no stored hash matches by more
 * than chance: the ledger then refuses instead of accepting.
 */
static void hasher_begin(struct hasher *h, const char *purpose)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, find_sha256);
	h->context = EVP_MD_CTX_new();
	if (h->context)
		EVP_DigestInit_ex(h->context, sha256, NULL);
	if (h->context)
		hasher_text(h, purpose);
}

static void hasher_end(struct hasher *h, uint8_t out[SOTTO_HASH_BYTES])
{
	memset(out, 0xff, SOTTO_HASH_BYTES);
	if (h->context)
		EVP_DigestFinal_ex(h->context, out, NULL);
	EVP_MD_CTX_free(h->context);
}

static void hasher_cost(struct hasher *h, const struct sotto_chain_cost *cost)
{
	hasher_number(h, cost->bounded);
	hasher_text(h, cost->epsilon);
	hasher_text(h, cost->delta);
	hasher_text(h, cost->rho);
}

static void hasher_row(struct hasher *h, const struct sotto_chain_row *row)
{
	hasher_number(h, row->number);
	hasher_number(h, (uint64_t)row->time);
	hasher_text(h, row->analyst);
	hasher_text(h, row->query);
	hasher_part(h, row->key, SOTTO_HASH_BYTES);
	hasher_cost(h, &row->cost);
	if (row->format == SOTTO_CHAIN_FORMAT_OLD)
		return;
	hasher_number(h, (uint64_t)row->kind);
	hasher_text(h, row->data);
	hasher_number(h, row->part_count);
	for (size_t i = 0; i < row->part_count; i++) {
		hasher_text(h, row->parts[i].what);
		hasher_cost(h, &row->parts[i].cost);
	}
}

void sotto_chain_extend(uint8_t hash[SOTTO_HASH_BYTES], const struct sotto_chain_row *row)
{
	struct hasher h;

	hasher_begin(&h, row->format == SOTTO_CHAIN_FORMAT_OLD ? "sotto ledger entry 1"
							       : "sotto ledger entry 2");
	if (h.context) {
		hasher_part(&h, hash, SOTTO_HASH_BYTES);
		hasher_row(&h, row);
	}
	hasher_end(&h, hash);
}

void sotto_chain_answer(const uint8_t entry_hash[SOTTO_HASH_BYTES], const char *answer,
			uint8_t out[SOTTO_HASH_BYTES])
{
	struct hasher h;

	hasher_begin(&h, "sotto ledger answer 1");
	if (h.context) {
		hasher_part(&h, entry_hash, SOTTO_HASH_BYTES);
		hasher_text(&h, answer);
	}
	hasher_end(&h, out);
}

void sotto_chain_fingerprint(const char *purpose, const char *text,
			     uint8_t out[SOTTO_HASH_BYTES])
{
	struct hasher h;

	hasher_begin(&h, purpose);
	if (h.context)
		hasher_text(&h, text);
	hasher_end(&h, out);
}

void sotto_chain_hex(const uint8_t hash[SOTTO_HASH_BYTES], char out[SOTTO_HASH_HEX])
{
	sotto_hex(hash, SOTTO_HASH_BYTES, out);
}
