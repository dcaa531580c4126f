/* sotto release --estimate, --variance, --round: small inputs as JSON, for checking figures. */
#include <stdlib.h>
#include <string.h>

#include "census/release_command.h"
#include "frame/complaint.h"
#include "show/json.h"

enum { INPUT_MAX = 1 << 24 };

static enum outcome read_all(FILE *in, const char *name, char **text, struct sotto_error *err)
{
	char *buffer = malloc(INPUT_MAX + 1);
	size_t n = buffer ? fread(buffer, 1, INPUT_MAX + 1, in) : 0;

	if (!buffer)
		return complaint_refuse(err, "out of memory");
	if (n > INPUT_MAX || ferror(in) || memchr(buffer, '\0', n)) {
		free(buffer);
		return complaint_usage(err, "%.200s could not be read, or is too long", name);
	}
	buffer[n] = '\0';
	*text = buffer;
	return OUTCOME_DONE;
}

static enum outcome read_input(const struct invocation *call, const char *name, char **text,
			       struct sotto_error *err)
{
	enum outcome outcome;
	FILE *in;

	if (strcmp(name, "-") == 0)
		return read_all(call->in, "standard input", text, err);
	in = fopen(name, "re");
	if (!in)
		return complaint_usage(err, "%.200s could not be opened", name);
	outcome = read_all(in, name, text, err);
	(void)fclose(in);
	return outcome;
}

static enum sotto_status round_table(const struct release_settings *settings, const char *text,
				     char **result, struct sotto_error *err)
{
	struct sotto_rng *rng = NULL;
	enum sotto_status st = SOTTO_OK;

	if (settings->rounding == SOTTO_ROUNDING_UNBIASED)
		st = sotto_rng_open(&rng);
	if (st == SOTTO_OK)
		st = sotto_census_round(text, settings->exact,
					(enum sotto_rounding)settings->rounding, rng, result,
					err);
	sotto_rng_close(rng);
	return st;
}

enum outcome release_small(const struct invocation *call, struct sotto_error *err)
{
	const struct release_settings *settings = call->settings;
	const char *name = settings->estimate   ? settings->estimate
			   : settings->variance ? settings->variance
						: settings->round;
	char *text = NULL, *result = NULL;
	enum outcome outcome = read_input(call, name, &text, err);
	enum sotto_status st;

	if (outcome != OUTCOME_DONE)
		return outcome;
	if (settings->estimate)
		st = sotto_census_estimate(text, settings->exact, &result, err);
	else if (settings->variance)
		st = sotto_census_variance(text, settings->exact, &result, err);
	else
		st = round_table(settings, text, &result, err);
	if (st == SOTTO_OK)
		json_print_versioned(result, call->out);
	free(text);
	free(result);
	return release_outcome(st, err);
}
