/*
 * encoder.h - one function per protocol, called by encode.c on checked values
 *
 * Each writes the whole report, sotto_client_report_bytes of it, and returns
 * false if randomness failed; encode.c zeroes the report then.
 */
#ifndef SOTTO_ENCODER_H
#define SOTTO_ENCODER_H

#include "local/client/primitive/word_source.h"
#include "sotto/client.h"

struct sotto_client_value {
	uint64_t number;
	const uint8_t *bytes;
	size_t length;
};

typedef bool (*sotto_encoder)(const struct sotto_client *, const struct sotto_client_value *,
			      uint8_t *);

bool sotto_encode_rr(const struct sotto_client *c, const struct sotto_client_value *v,
		     uint8_t *out);
bool sotto_encode_grr(const struct sotto_client *c, const struct sotto_client_value *v,
		      uint8_t *out);
bool sotto_encode_unary(const struct sotto_client *c, const struct sotto_client_value *v,
			uint8_t *out);
bool sotto_encode_olh(const struct sotto_client *c, const struct sotto_client_value *v,
		      uint8_t *out);
bool sotto_encode_flh(const struct sotto_client *c, const struct sotto_client_value *v,
		      uint8_t *out);
bool sotto_encode_pem(const struct sotto_client *c, const struct sotto_client_value *v,
		      uint8_t *out);
bool sotto_encode_hr(const struct sotto_client *c, const struct sotto_client_value *v,
		     uint8_t *out);
bool sotto_encode_subset(const struct sotto_client *c, const struct sotto_client_value *v,
			 uint8_t *out);
bool sotto_encode_rappor(const struct sotto_client *c, const struct sotto_client_value *v,
			 uint8_t *out);
bool sotto_encode_cms(const struct sotto_client *c, const struct sotto_client_value *v,
		      uint8_t *out);
bool sotto_encode_hcms(const struct sotto_client *c, const struct sotto_client_value *v,
		       uint8_t *out);
bool sotto_encode_sfp(const struct sotto_client *c, const struct sotto_client_value *v,
		      uint8_t *out);
bool sotto_encode_treehist(const struct sotto_client *c, const struct sotto_client_value *v,
			   uint8_t *out);
bool sotto_encode_mean(const struct sotto_client *c, const struct sotto_client_value *v,
		       uint8_t *out);
bool sotto_encode_dbitflip(const struct sotto_client *c, const struct sotto_client_value *v,
			   uint8_t *out);

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
