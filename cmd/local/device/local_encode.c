/* sotto local encode: makes reports as a device does. */
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "local/device/local_compat.h"
#include "local/local_command.h"

static const char *const outputs[] = {"csv", "batch", NULL};

static const struct option options[] = {
	{.name = "params",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .required = true,
	 .help = "the collection's parameters; params.csv if --mode is not native",
	 .offset = offsetof(struct encode_settings, params)},
	{.name = "proto",
	 .argument = "NAME",
	 .kind = OPTION_TEXT,
	 .help = "refuse parameters of another protocol",
	 .offset = offsetof(struct encode_settings, proto)},
	{.name = "key-file",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "the device's secret: 32 bytes that never change",
	 .offset = offsetof(struct encode_settings, key_file)},
	{.name = "each-device",
	 .kind = OPTION_FLAG,
	 .help = "every value is from another device, with a new key",
	 .offset = offsetof(struct encode_settings, each_device)},
	{.name = "id",
	 .argument = "NAME",
	 .kind = OPTION_TEXT,
	 .fallback = "",
	 .help = "name of the metric; two metrics never share an answer",
	 .offset = offsetof(struct encode_settings, id)},
	{.name = "mode",
	 .argument = "MODE",
	 .kind = OPTION_CHOICE,
	 .choices = local_modes,
	 .help = "encode bit for bit as this client does",
	 .offset = offsetof(struct encode_settings, mode)},
	{.name = "cohort",
	 .argument = "C",
	 .kind = OPTION_COUNT,
	 .help = "for google-py and chromium: the cohort of the device",
	 .offset = offsetof(struct encode_settings, cohort)},
	{.name = "ngrams",
	 .argument = "L",
	 .kind = OPTION_COUNT,
	 .fallback = "0",
	 .help = "with --mode: send two n-grams of L characters, and the string; 0: only the "
		 "string",
	 .offset = offsetof(struct encode_settings, ngrams)},
	{.name = "positions",
	 .argument = "K",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "3",
	 .help = "with --ngrams: number of n-grams of a string",
	 .offset = offsetof(struct encode_settings, positions)},
	{.name = "reveal",
	 .kind = OPTION_FLAG,
	 .help = "also print what must stay on the device (bloom and prr)",
	 .offset = offsetof(struct encode_settings, reveal)},
	{.name = "out",
	 .argument = "KIND",
	 .kind = OPTION_CHOICE,
	 .choices = outputs,
	 .help = "print reports in hexadecimal, or write one batch for collect",
	 .offset = offsetof(struct encode_settings, out)},
	OPTIONS_END};

static int fill_from_rng(void *context, uint8_t *out, size_t n)
{
	return sotto_rng_fill(context, out, n) == SOTTO_OK ? 0 : -1;
}

struct device {
	struct sotto_client_params params;
	struct sotto_client_secrets secrets;
	struct sotto_rng *rng;
	uint8_t key[32];
	struct sotto_client client; /* once the first value was encoded */
};

static enum outcome read_key(const char *path, uint8_t key[32], struct sotto_error *err)
{
	char *bytes;
	size_t n;
	enum outcome outcome = local_read_file(path, &bytes, &n, err);

	if (outcome != OUTCOME_DONE)
		return outcome;
	if (n == 32)
		memcpy(key, bytes, 32);
	free(bytes);
	return n == 32 ? OUTCOME_DONE
		       : complaint_refuse(err, "%s must hold exactly 32 bytes", path);
}

static enum sotto_status encode_one(struct device *d, bool each, const char *value,
				    size_t length, uint8_t *out, size_t capacity)
{
	struct sotto_client *c = &d->client;
	uint64_t number;
	size_t used;
	enum sotto_status st = SOTTO_OK;

	if (each)
		st = sotto_rng_fill(d->rng, d->key, sizeof d->key);
	if (st == SOTTO_OK && !c->params)
		st = sotto_client_init(c, &d->params, &d->secrets);
	else if (st == SOTTO_OK && each)
		sotto_client_renew(c);
	if (st != SOTTO_OK)
		return st;
	if (!sotto_client_takes_number(&d->params))
		return sotto_client_encode(c, value, length, out, capacity, &used);
	return local_number(value, length, &number)
		       ? sotto_client_encode_number(c, number, out, capacity, &used)
		       : SOTTO_EPARSE;
}

static enum outcome complain(enum sotto_status st, size_t value, struct sotto_error *err)
{
	switch (st) {
	case SOTTO_EPARSE:
		return complaint_refuse(
			err,
			"value number %zu is not a number, and the collection is of numbers",
			value);
	case SOTTO_ERANGE:
		return complaint_refuse(
			err, "value number %zu is outside the domain of the collection", value);
	case SOTTO_EMISSING:
		return complaint_refuse(
			err, "this collection memoizes: give --key-file or --each-device");
	default:
		return complaint_refuse(err, "value %zu: %s", value, sotto_status_text(st));
	}
}

static enum outcome print_batch(const struct device *d, const uint8_t *reports, size_t count,
				const struct invocation *call, struct sotto_error *err)
{
	struct sotto_local_batch b = {.params = d->params, .reports = count};
	struct sotto_local_privacy privacy;
	uint8_t *bytes;
	size_t n;
	enum sotto_status st;

	sotto_local_privacy_init(&privacy);
	st = sotto_local_privacy_state(&d->params, 1, &privacy);
	b.epsilon = privacy.report;
	sotto_local_privacy_release(&privacy);
	if (st == SOTTO_OK)
		st = sotto_rng_fill(d->rng, b.id, sizeof b.id);
	if (st == SOTTO_OK)
		st = sotto_local_batch_make(&b, reports, &bytes, &n);
	if (st != SOTTO_OK)
		return local_failed(st, err);
	fwrite(bytes, 1, n, call->out);
	free(bytes);
	return OUTCOME_DONE;
}

static void print_hex(const uint8_t *reports, size_t stride, size_t count, FILE *out)
{
	fprintf(out, "report\n");
	for (size_t i = 0; i < count; i++) {
		for (size_t b = 0; b < stride; b++)
			fprintf(out, "%02x", reports[i * stride + b]);
		fprintf(out, "\n");
	}
}

static enum outcome encode_all(struct device *d, const struct local_lines *values,
			       const struct invocation *call, struct sotto_error *err)
{
	const struct encode_settings *s = call->settings;
	size_t stride = sotto_client_report_bytes(&d->params);
	uint8_t *reports = memory_new(values->count + 1, stride);
	enum outcome outcome = OUTCOME_DONE;

	for (size_t i = 0; i < values->count && outcome == OUTCOME_DONE; i++) {
		enum sotto_status st =
			encode_one(d, s->each_device, values->strings[i], values->lengths[i],
				   reports + i * stride, stride);

		if (st != SOTTO_OK)
			outcome = complain(st, i + 1, err);
	}
	if (outcome == OUTCOME_DONE && s->out == 1)
		outcome = print_batch(d, reports, values->count, call, err);
	else if (outcome == OUTCOME_DONE)
		print_hex(reports, stride, values->count, call->out);
	free(reports);
	return outcome;
}

static enum outcome
check_protocol(const char *wanted, uint32_t protocol, struct sotto_error *err)
{
	if (!wanted || strcmp(wanted, sotto_local_protocol_name(protocol)) == 0)
		return OUTCOME_DONE;
	return complaint_refuse(err, "these are parameters of %s, not of %s",
				sotto_local_protocol_name(protocol), wanted);
}

static enum outcome run_native(const struct invocation *call, const struct local_lines *values,
			       struct sotto_error *err)
{
	const struct encode_settings *s = call->settings;
	struct device d = {.client = {.params = NULL}};
	enum outcome outcome = local_read_params(s->params, &d.params, err);
	enum sotto_status st;

	if (outcome == OUTCOME_DONE && s->key_file)
		outcome = read_key(s->key_file, d.key, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	outcome = check_protocol(s->proto, d.params.protocol, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	st = sotto_rng_open(&d.rng);
	if (st != SOTTO_OK)
		return local_failed(st, err);
	d.secrets = (struct sotto_client_secrets){.key = s->key_file || s->each_device ? d.key
										       : NULL,
						  .id = s->id,
						  .id_length = strlen(s->id),
						  .fill = fill_from_rng,
						  .context = d.rng};
	outcome = encode_all(&d, values, call, err);
	sotto_rng_close(d.rng);
	return outcome;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct encode_settings *s = call->settings;
	struct local_lines values = {.count = 0};
	enum outcome outcome = OUTCOME_DONE;

	if (s->ngrams.value > 0 && s->mode == 0)
		return complaint_usage(err, "--ngrams is for deployed clients: give --mode");
	if (s->each_device && s->key_file)
		return complaint_usage(err, "--key-file is one device, --each-device is many");
	if (call->operands.count == 0)
		outcome = local_read_lines("-", &values, err);
	for (size_t i = 0; i < call->operands.count; i++) {
		values.strings = memory_grow(values.strings, i, sizeof *values.strings);
		values.lengths = memory_grow(values.lengths, i, sizeof *values.lengths);
		values.strings[i] = call->operands.items[i];
		values.lengths[i] = strlen(call->operands.items[i]);
		values.count++;
	}
	if (outcome == OUTCOME_DONE)
		outcome = check_protocol(s->mode == 0 ? NULL : s->proto, SOTTO_CLIENT_RAPPOR,
					 err);
	if (outcome == OUTCOME_DONE)
		outcome = s->mode == 0 ? run_native(call, &values, err)
				       : local_encode_compat(call, &values, err);
	local_lines_release(&values);
	return outcome;
}

const struct command command_local_encode = {
	.name = "encode",
	.summary = "do what a device does: randomize values",
	.usage = "--params FILE [--key-file FILE] [OPTION]... [VALUE]...",
	.details =
		"Values are operands or lines of standard input.  With --key-file, all values\n"
		"come from one device, and memoized answers are repeated.  With "
		"--each-device,\n"
		"each value comes from a different device.",
	.options = options,
	.settings_size = sizeof(struct encode_settings),
	.operands_max = SIZE_MAX,
	.run = run,
};
