/*
 * encode.h - one record per protocol: how a device encodes its value
 *
 * An encoder writes the whole report, sotto_client_report_bytes of it, and returns
 * false if randomness failed; encode.c zeroes the report then.
 */
#ifndef SOTTO_ENCODE_H
#define SOTTO_ENCODE_H

#include "local/client/primitive/word_source.h"
#include "sotto/client.h"

struct sotto_client_value {
	uint64_t number;
	const uint8_t *bytes;
	size_t length;
};

/* Called by encode.c on checked values. */
typedef bool (*sotto_encoder)(const struct sotto_client *, const struct sotto_client_value *,
			      uint8_t *);

/* What a value is; where a protocol takes both, it is a number if the domain has a size. */
enum sotto_value_domain { SOTTO_NUMBERS, SOTTO_STRINGS, SOTTO_NUMBERS_OR_STRINGS };

/* What a device draws once from its key and keeps: a cohort, a group, a rounding point. */
struct sotto_drawn_once {
	uint32_t (*points)(const struct sotto_client_params *p);
	bool (*needs_key)(const struct sotto_client_params *p); /* NULL: if it memoizes */
	bool is_rounding; /* a rounding point; otherwise a group */
};

/* One protocol as a device knows it; the server's half is in local/protocol/record.h. */
struct sotto_encoding {
	uint8_t domain; /* enum sotto_value_domain */
	bool includes_size; /* the values are 0 .. size, not 0 .. size - 1 */
	bool (*fits)(const struct sotto_client_params *p); /* these sizes make sense */
	size_t (*bytes)(const struct sotto_client_params *p); /* of every report */
	sotto_encoder encode;
	const struct sotto_drawn_once *once; /* NULL: nothing */
};

#define SOTTO_ENCODING(id, number, text) extern const struct sotto_encoding sotto_encoding_##id;
SOTTO_CLIENT_PROTOCOLS(SOTTO_ENCODING)
#undef SOTTO_ENCODING

/* NULL for a protocol that is unknown, or not compiled in. */
const struct sotto_encoding *sotto_encoding_of(uint32_t protocol);

/* Parts that several records share: the groups field; a report of one byte. */
uint32_t sotto_groups_of(const struct sotto_client_params *p);
size_t sotto_one_byte(const struct sotto_client_params *p);

/* Fresh randomness, or the value's own stream if the collection memoizes. */
void sotto_answer_stream(struct sotto_stream *s, const struct sotto_client *c,
			 const struct sotto_client_value *v);

/* A symbol below range: v with the chance keep, else one of the others. */
uint32_t sotto_randomize_symbol(struct sotto_stream *s, uint32_t v, uint32_t range,
				struct sotto_client_chance keep);

/*
 * The next element of a uniform draw without replacement from 0 .. n-1, given
 * count elements drawn before, ascending in list; inserts and returns it.
 */
uint32_t sotto_draw_another(struct sotto_stream *s, uint8_t *list, uint32_t count,
			    unsigned bytes, uint32_t n);

/* The Bloom filter of a value (RAPPOR), width bits into out. */
void sotto_rappor_bloom(const struct sotto_client_params *p, uint32_t cohort,
			const struct sotto_client_value *v, uint8_t *out);

/* Keys of what the server must enumerate too. */
uint64_t sotto_prefix_key(const uint8_t *bytes, size_t length, uint32_t bits);
uint64_t sotto_fragment_key(uint32_t puzzle, const uint8_t *piece, uint32_t length);
uint32_t sotto_puzzle_hash(const uint8_t *padded, uint32_t length, uint32_t bits);

#endif
