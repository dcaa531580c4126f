/*
 * report_parts.h - what reports are made of, and why no client can have sent one
 */
#ifndef SOTTO_REPORT_PARTS_H
#define SOTTO_REPORT_PARTS_H

#include "local/client/layout.h"
#include "sotto/collect.h"

/* The first of two parts that is wrong. */
static inline enum sotto_local_reason
part_both(enum sotto_local_reason first, enum sotto_local_reason second)
{
	return first != SOTTO_LOCAL_REASON_NONE ? first : second;
}

/* What a client says: a number below the limit. */
static inline enum sotto_local_reason
part_value(const uint8_t *at, unsigned bytes, uint64_t limit)
{
	return load_le(at, bytes) < limit ? SOTTO_LOCAL_REASON_NONE : SOTTO_LOCAL_REASON_REPORT;
}

/* Where it says it: a cohort, a row, a level. */
static inline enum sotto_local_reason part_group(const uint8_t *at, uint32_t groups)
{
	return load_le(at, bytes_below(groups)) < groups ? SOTTO_LOCAL_REASON_NONE
							 : SOTTO_LOCAL_REASON_COHORT;
}

/* The bits of the last byte that mean nothing are zero. */
static inline enum sotto_local_reason part_padding(const uint8_t *vector, uint32_t bits)
{
	return bits % 8 == 0 || vector[bits / 8] >> bits % 8 == 0 ? SOTTO_LOCAL_REASON_NONE
								  : SOTTO_LOCAL_REASON_PADDING;
}

/* A list of different numbers below the limit, in order. */
static inline enum sotto_local_reason
part_ascending(const uint8_t *list, uint32_t count, unsigned bytes, uint64_t limit)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t x = load_le(list + (size_t)i * bytes, bytes);

		if (x >= limit || (i > 0 && x <= last))
			return SOTTO_LOCAL_REASON_REPORT;
		last = x;
	}
	return SOTTO_LOCAL_REASON_NONE;
}

/* A row of a sketch, and a bit vector. */
static inline enum sotto_local_reason
part_row(const struct sotto_client_params *p, const uint8_t *r)
{
	return part_both(part_group(r, p->groups),
			 part_padding(r + bytes_below(p->groups), p->width));
}

/* A row, a column and a sign. */
static inline enum sotto_local_reason
part_hadamard(const struct sotto_client_params *p, const uint8_t *r)
{
	uint64_t cells = 2 * (uint64_t)p->width;

	return part_both(part_group(r, p->groups),
			 part_value(r + bytes_below(p->groups), bytes_below(cells), cells));
}

#endif
