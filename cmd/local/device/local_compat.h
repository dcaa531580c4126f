/*
 * local_compat.h - encodes reports as deployed clients do
 */
#ifndef SOTTO_LOCAL_COMPAT_H
#define SOTTO_LOCAL_COMPAT_H

#include "local/local_command.h"

struct encode_settings {
	const char *params, *proto, *key_file, *id;
	size_t mode, out;
	struct option_count cohort, ngrams, positions;
	bool each_device, reveal;
};

/* "native", then the names of enum sotto_compat_mode in order. */
extern const char *const local_modes[];

/* Makes one report of a string: its bits, bit i in bit i%8 of byte i/8. */
enum sotto_status compat_report(struct sotto_compat *c, uint32_t cohort, const void *value,
				size_t length, uint8_t *out);

/* Prints bit k-1 first, as google/rappor writes them. */
void compat_print_bits(const uint8_t *bits, uint32_t k, FILE *out);

/*
 * Prints a row client,cohort,left,right,first,second: the reports of the n-grams at two positions
 * of the string, drawn now, and of the string itself.
 */
enum outcome compat_print_pair(struct sotto_compat *c, uint32_t cohort, const char *value,
			       size_t length, const struct invocation *call,
			       struct sotto_error *err);

/*
 * Returns a device of the mode, as far as params.csv describes it; and whether there is such a
 * device.
 */
struct sotto_compat local_compat(size_t mode, const struct sotto_local_google *params);
enum outcome local_compat_check(const struct sotto_compat *c, struct sotto_error *err);

/* Computes what the client makes of f, p and q. */
void local_realised(size_t mode, struct sotto_local_google *params);

enum outcome local_encode_compat(const struct invocation *call,
				 const struct local_lines *values, struct sotto_error *err);

#endif
