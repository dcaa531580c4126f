/*
 * Workers on a list of hosts, by ssh: `ssh HOST sotto worker`.  ssh knows who a host is and
 * who may log in (known_hosts, keys of an agent), and never asks.  A bucket whose worker is
 * lost goes to the next host.
 */
#include "central/spread/launcher/launcher.h"
#include "core/base/failure.h"

static enum sotto_status command(struct sotto_arena *a, const struct sotto_spread_settings *s,
				 uint32_t bucket, unsigned attempt, const char *const **out,
				 struct sotto_error *err)
{
	static const char *const first[] = {"ssh",           "-T", "-o",
					    "BatchMode=yes", "-o", "ServerAliveInterval=15"};
	const char *host = s->hosts[(bucket + attempt) % s->host_count];
	const char **words = NULL;
	size_t count = 0;

	if (!sotto_program_is_there("ssh"))
		return sotto_fail(err, SOTTO_EMISSING,
				  "launcher: ssh needs the program ssh, which is not in PATH; "
				  "install openssh-client");
	for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
		SOTTO_WORDS_NEED(sotto_words_add(a, &words, &count, first[i]));
	for (size_t i = 0; i < s->option_count; i++)
		SOTTO_WORDS_NEED(sotto_words_add(a, &words, &count, s->options[i]));
	SOTTO_WORDS_NEED(
		sotto_words_add(a, &words, &count, "--") &&
		sotto_words_add(a, &words, &count, host) &&
		sotto_words_add(a, &words, &count, s->program ? s->program : "sotto") &&
		sotto_words_add(a, &words, &count, "worker") &&
		sotto_words_add(a, &words, &count, NULL));
	*out = words;
	return SOTTO_OK;
}

const struct sotto_launcher sotto_launcher_ssh = {
	.name = "ssh", .needs_hosts = true, .is_remote = true, .command = command};
