/*
 * report_parts.h - what reports are made of, and whether a client can have sent it
 */
#ifndef SOTTO_REPORT_PARTS_H
#define SOTTO_REPORT_PARTS_H

#include "local/client/layout.h"

static inline bool part_below(const uint8_t *at, unsigned bytes, uint64_t limit)
{
	return load_le(at, bytes) < limit;
}

static inline bool part_padded(const uint8_t *vector, uint32_t bits)
{
	return bits % 8 == 0 || vector[bits / 8] >> bits % 8 == 0;
}

/* A list of different numbers below the limit, in order. */
static inline bool
part_ascending(const uint8_t *list, uint32_t count, unsigned bytes, uint64_t limit)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t x = load_le(list + (size_t)i * bytes, bytes);

		if (x >= limit || (i > 0 && x <= last))
			return false;
		last = x;
	}
	return true;
}

/* A row of a sketch, and a bit vector. */
static inline bool part_row(const struct sotto_client_params *p, const uint8_t *r)
{
	unsigned head = bytes_below(p->groups);

	return part_below(r, head, p->groups) && part_padded(r + head, p->width);
}

/* A row, a column and a sign. */
static inline bool part_hadamard(const struct sotto_client_params *p, const uint8_t *r)
{
	unsigned head = bytes_below(p->groups);

	return part_below(r, head, p->groups) &&
	       part_below(r + head, bytes_below(2 * (uint64_t)p->width),
			  2 * (uint64_t)p->width);
}

#endif
