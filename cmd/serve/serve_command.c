/*
 * sotto serve: starts the server and waits for a signal; answers that are under way are
 * finished before it ends.
 */
#include <string.h>
#include <strings.h>

#include "frame/commands.h"
#include "frame/service.h"
#include "query/ask.h"
#include "sotto/server.h"

struct serve_settings {
	const char *policy, *http, *pg, *tls_cert, *tls_key;
	struct option_count questions;
};

#define OPTION(field, name_, argument_, kind_, help_)                                          \
	.name = name_, .argument = argument_, .kind = kind_, .help = help_,                    \
	.offset = offsetof(struct serve_settings, field)

static const struct option options[] = {
	{OPTION(policy, "policy", "FILE", OPTION_TEXT, "the policy"), .letter = 'p',
	 .fallback = "sotto.yaml"},
	{OPTION(http, "http", "HOST:PORT", OPTION_TEXT, "address for HTTP"),
	 .fallback = "127.0.0.1:7654"},
	{OPTION(pg, "pg", "HOST:PORT", OPTION_TEXT, "address for PostgreSQL clients"),
	 .fallback = "127.0.0.1:7655"},
	{OPTION(tls_cert, "tls-cert", "FILE", OPTION_TEXT, "certificate for TLS, in PEM")},
	{OPTION(tls_key, "tls-key", "FILE", OPTION_TEXT, "key of the certificate, in PEM")},
	{OPTION(questions, "questions", "N", OPTION_COUNT,
		"questions answered at the same time"),
	 .range = RANGE_POSITIVE, .fallback = "2"},
	OPTIONS_END};

/* The next start has no link: it says what opens the console then. */
static void print_login(const struct sotto_server_addresses *at, const char *policy, FILE *out)
{
	const char *option = strcmp(policy, "sotto.yaml") == 0 ? "" : " --policy ";

	if (at->login)
		fprintf(out, "log in, once     %s\n", at->login);
	if (at->owner_key)
		fprintf(out,
			"owner's key      %s\n"
			"                 It is not shown again; keep it, or make a new one "
			"with: "
			"sotto user rotate owner%s%s\n",
			at->owner_key, option, *option ? policy : "");
	else
		fprintf(out,
			"log in           with your key; if it is lost, make a new one with: "
			"sotto user rotate NAME%s%s\n",
			option, *option ? policy : "");
}

static void print_addresses(const struct sotto_server *server, const char *policy, FILE *out)
{
	struct sotto_server_addresses at;

	sotto_server_addresses(server, &at);
	if (at.http)
		fprintf(out, "console and API  %s\n", at.http);
	if (at.wire)
		fprintf(out,
			"PostgreSQL       %s, database %s (user: the name, password: the "
			"key)\n",
			at.wire, at.database);
	print_login(&at, policy, out);
	fprintf(out, "stop with Ctrl-C or SIGTERM\n");
	(void)fflush(out);
}

static bool stays_here(const char *address)
{
	return strncmp(address, "127.", 4) == 0 ||
	       strncasecmp(address, "localhost:", 10) == 0 ||
	       strncmp(address, "[::1]:", 6) == 0;
}

/* Not refused: inside a container, or behind a proxy on another machine, it is what is wanted. */
static void warn_of_clear_text(const struct serve_settings *settings, FILE *err)
{
	if (settings->tls_cert)
		return;
	if (!stays_here(settings->http))
		fprintf(err, "keys and answers leave this machine unencrypted over HTTP; give "
			     "--tls-cert and --tls-key, unless a proxy with TLS is in front of "
			     "it\n");
	if (!stays_here(settings->pg))
		fprintf(err,
			"answers leave this machine unencrypted over PostgreSQL's protocol; "
			"give --tls-cert and --tls-key\n");
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct serve_settings *settings = call->settings;
	const struct sotto_server_options wanted = {
		.policy = settings->policy,
		.http = settings->http,
		.wire = settings->pg,
		.tls_cert = settings->tls_cert,
		.tls_key = settings->tls_key,
		.questions = (unsigned)settings->questions.value};
	struct sotto_server *server = NULL;
	enum outcome outcome;

	service_prepare();
	outcome = ask_outcome(sotto_server_start(&wanted, &server, err), err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	warn_of_clear_text(settings, call->err);
	print_addresses(server, settings->policy, call->out);
	while (!service_ended(60000))
		;
	fprintf(call->err, "answering what was asked, then stopping\n");
	sotto_server_stop(server);
	return OUTCOME_DONE;
}

const struct command command_serve = {
	.name = "serve",
	.summary = "let analysts and programs ask over the network",
	.usage = "[--policy FILE] [--http HOST:PORT] [--pg HOST:PORT] [--tls-cert FILE "
		 "--tls-key FILE]",
	.details =
		"Holds the data and the ledger; analysts connect with a name and a key (sotto\n"
		"user add NAME).  The first start prints a link with which the owner can log "
		"in\n"
		"once, and the owner's key.",
	.options = options,
	.settings_size = sizeof(struct serve_settings),
	.operands_max = 0,
	.run = run,
};
