/* The EM step of google/rappor's association analysis, over its binary files. */
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "local/local_command.h"

struct em_settings {
	struct option_count iterations;
};

static const struct option options[] = {{.name = "iterations",
					 .argument = "N",
					 .kind = OPTION_COUNT,
					 .range = RANGE_POSITIVE,
					 .fallback = "1000",
					 .help = "stop after N iterations",
					 .offset = offsetof(struct em_settings, iterations)},
					OPTIONS_END};

static uint32_t load32(const char *at)
{
	const uint8_t *b = (const uint8_t *)at;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void put32(uint32_t x, FILE *out)
{
	for (int i = 0; i < 4; i++)
		fputc((int)(x >> 8 * i & 0xff), out);
}

/* Doubles are little-endian, as every machine that runs this has them. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "doubles are read as they are");

struct em_input {
	size_t rows, cells;
	double *likelihood;
};

enum { HEADER = 20 }; /* "ne \0" u32 "es \0" u32 "dat\0" */

static bool parse(const char *bytes, size_t n, struct em_input *out)
{
	if (n < HEADER || memcmp(bytes, "ne \0", 4) != 0 ||
	    memcmp(bytes + 8, "es \0", 4) != 0 || memcmp(bytes + 16, "dat\0", 4) != 0)
		return false;
	out->rows = load32(bytes + 4);
	out->cells = load32(bytes + 12);
	if (out->rows == 0 || out->cells == 0 ||
	    (n - HEADER) / sizeof(double) / out->cells != out->rows ||
	    (n - HEADER) % (sizeof(double) * out->cells) != 0)
		return false;
	out->likelihood = memory_new(out->rows * out->cells, sizeof(double));
	memcpy(out->likelihood, bytes + HEADER, n - HEADER);
	return true;
}

static enum outcome write_reply(const char *path, unsigned iterations, const double *share,
				size_t cells, struct sotto_error *err)
{
	FILE *out = fopen(path, "wb");
	bool ok = out != NULL;

	if (ok) {
		ok = fwrite("emi\0", 1, 4, out) == 4;
		put32(iterations, out);
		ok = fwrite("pij\0", 1, 4, out) == 4 && ok;
		ok = fwrite(share, sizeof *share, cells, out) == cells && ok;
		ok = fclose(out) == 0 && ok;
	}
	return ok ? OUTCOME_DONE : complaint_refuse(err, "could not write %s", path);
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct em_settings *s = call->settings;
	struct em_input in = {.rows = 0};
	double *share;
	unsigned iterations = 0;
	bool settled = true;
	char *bytes;
	size_t n;
	enum outcome outcome = local_read_file(call->operands.items[0], &bytes, &n, err);
	enum sotto_status st;

	if (outcome != OUTCOME_DONE)
		return outcome;
	if (s->iterations.value > UINT32_MAX || !parse(bytes, n, &in)) {
		free(bytes);
		return complaint_refuse(err, "%s is not the input of an EM step",
					call->operands.items[0]);
	}
	free(bytes);
	share = memory_new(in.cells, sizeof *share);
	st = sotto_local_em(in.likelihood, in.rows, in.cells, (unsigned)s->iterations.value,
			    share, &iterations, &settled);
	outcome = st == SOTTO_OK ? write_reply(call->operands.items[1], iterations, share,
					       in.cells, err)
				 : complaint_refuse(err, "a row of %s is not a likelihood",
						    call->operands.items[0]);
	if (outcome == OUTCOME_DONE && !settled)
		fprintf(command_notes(call),
			"note: not converged after %u iterations; allow more with "
			"--iterations\n",
			iterations);
	free(in.likelihood);
	free(share);
	return outcome;
}

const struct command command_local_em = {
	.name = "em",
	.summary = "run google/rappor's EM step natively, over its binary files",
	.usage = "[--iterations N] INPUT OUTPUT",
	.options = options,
	.settings_size = sizeof(struct em_settings),
	.operands_min = 2,
	.operands_max = 2,
	.run = run,
};
