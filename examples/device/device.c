/*
 * A device: randomizes one value and writes a batch that `sotto local collect` takes.
 *
 *	device STATE VALUE... > batch
 *
 * If it saw several values, it reports one of them, each with the same probability.
 * STATE is a file that the device keeps.  It is made the first time, and is on disk before
 * anything is sent.  params.h is printed by `sotto local params --to c`.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "params.h"

static const char metric[] = "keyboard-layout";

/* The only thing that a platform must provide: bytes from its random source. */
static int fill(void *context, uint8_t *out, size_t n)
{
	(void)context;
	while (n > 0) {
		ssize_t got = getrandom(out, n < 256 ? n : 256, 0);

		if (got < 0)
			return -1;
		out += got;
		n -= (size_t)got;
	}
	return 0;
}

static void end(const char *sentence)
{
	fprintf(stderr, "device: %s\n", sentence);
	exit(1);
}

/* What is kept: the secret, then how much was reported so far. */
struct kept {
	uint8_t state[SOTTO_CLIENT_STATE_BYTES];
	uint8_t ledger[SOTTO_CLIENT_LEDGER_BYTES];
};

static void save(const char *path, const struct kept *k)
{
	char aside[4096];
	int fd;

	snprintf(aside, sizeof aside, "%s.new", path);
	fd = open(aside, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, k, sizeof *k) != (ssize_t)sizeof *k || fsync(fd) != 0 ||
	    close(fd) != 0 || rename(aside, path) != 0)
		end("the state could not be stored, so nothing is sent");
}

static void load(const char *path, struct kept *k)
{
	static const struct sotto_client_ledger fresh = {.daily_limit = 10,
							 .distinct_limit = 4};
	int fd = open(path, O_RDONLY);

	if (fd >= 0) {
		if (read(fd, k, sizeof *k) != (ssize_t)sizeof *k)
			end("the stored state is damaged");
		close(fd);
		return;
	}
	if (sotto_client_state_make(&params, metric, sizeof metric - 1, fill, NULL, k->state) !=
	    SOTTO_OK)
		end("there is no randomness");
	sotto_client_ledger_store(&fresh, k->ledger);
	save(path, k);
}

static uint64_t choose(char **values)
{
	uint64_t chosen = 0;
	bool keep;

	for (uint32_t seen = 1; values[seen - 1]; seen++) {
		if (sotto_client_reservoir_offer(seen, fill, NULL, &keep) != SOTTO_OK)
			end("there is no randomness");
		if (keep)
			chosen = strtoull(values[seen - 1], NULL, 10);
	}
	return chosen;
}

int main(int count, char **words)
{
	struct sotto_client_ledger ledger;
	struct sotto_client_batch batch;
	struct sotto_client client;
	uint8_t key[32], report[64], bytes[512];
	uint32_t today = (uint32_t)(time(NULL) / 86400);
	struct sotto_client_secrets secrets = {.key = key,
					       .id = metric,
					       .id_length = sizeof metric - 1,
					       .fill = fill,
					       .ledger = &ledger,
					       .today = today};
	struct kept kept;
	size_t used, length;

	if (count < 3)
		end("usage: device STATE VALUE...");
	if (sotto_client_params_check(&params) != SOTTO_OK ||
	    sotto_client_batch_bytes(&params, 1) > sizeof bytes)
		end("params.h is of another version, or its reports are too long for this "
		    "program");
	load(words[1], &kept);
	if (sotto_client_state_key(kept.state, &params, metric, sizeof metric - 1, key) !=
		    SOTTO_OK ||
	    sotto_client_ledger_load(&ledger, kept.ledger) != SOTTO_OK)
		end("the stored state is damaged, or of another collection");
	if (sotto_client_init(&client, &params, &secrets) != SOTTO_OK ||
	    sotto_client_encode_number(&client, choose(words + 2), report, sizeof report,
				       &used) != SOTTO_OK)
		end("the value is not in the domain, or enough was reported");
	sotto_client_ledger_store(&ledger, kept.ledger);
	save(words[1], &kept);
	if (sotto_client_batch_start(&batch, &params, fill, NULL, bytes, sizeof bytes) !=
		    SOTTO_OK ||
	    sotto_client_batch_add(&batch, report, used) != SOTTO_OK ||
	    sotto_client_batch_finish(&batch, today, today, &length) != SOTTO_OK)
		end("the report could not be put into a batch");
	return fwrite(bytes, 1, length, stdout) == length ? 0 : 1;
}
