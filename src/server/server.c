/* Starts and stops the parts of the server in the right order. */
#include "sotto/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "central/policy/policy.h"
#include "core/base/failure.h"
#include "server/collections/collections.h"
#include "server/route/route_table.h"
#include "server/http/http_server.h"
#include "server/people/login.h"
#include "server/people/people.h"
#include "server/wire/wire_server.h"
#include "server/work/work_queue.h"

enum {
	QUICK_THREADS = 4,
	QUESTIONS = 2,
	LINE_LENGTH = 256,
	PER_NAME = 8,
};

/* Where the policy says nothing: an answer leaves at a whole second. */
#define PAD ((uint64_t)1000000000)

struct sotto_server {
	struct sotto_policy policy; /* as it was when the server started */
	bool has_policy;
	struct sotto_people *people;
	struct sotto_login *login;
	struct sotto_work_queue *work;
	struct sotto_collections *collections;
	struct sotto_http *http;
	struct sotto_wire *wire;
	char *http_url, *wire_address, *database, *link;
	char owner_key[SOTTO_KEY_TEXT_SIZE];
};

enum sotto_status
sotto_server_people_path(const char *policy, char **out, struct sotto_error *err)
{
	struct sotto_policy p;
	enum sotto_status st;

	if (!policy || !out)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_policy_load(&p, policy, err));
	st = asprintf(out, "%s.people", p.ledger) < 0 ? SOTTO_ENOMEM : SOTTO_OK;
	sotto_policy_release(&p);
	return st;
}

static enum sotto_status open_people(struct sotto_server *s, struct sotto_error *err)
{
	enum sotto_status st;
	char *path = NULL;

	if (asprintf(&path, "%s.people", s->policy.ledger) < 0)
		return SOTTO_ENOMEM;
	st = sotto_people_open(path, &s->people, err);
	free(path);
	return st;
}

/* The first start makes an owner, and a link that logs in once. */
static enum sotto_status make_owner(struct sotto_server *s, struct sotto_error *err)
{
	struct sotto_person owner = {.name = "owner", .role = SOTTO_ROLE_OWNER};
	char token[SOTTO_TOKEN_SIZE];
	int64_t owners = 0;

	SOTTO_TRY(sotto_people_count(s->people, SOTTO_ROLE_OWNER, &owners, err));
	if (owners > 0)
		return SOTTO_OK;
	SOTTO_TRY(sotto_people_add(s->people, &owner, s->owner_key, err));
	SOTTO_TRY(sotto_people_find(s->people, owner.name, &owner, err));
	SOTTO_TRY(sotto_login_link(s->login, &owner, token));
	return !s->http_url || asprintf(&s->link, "%s/#login=%s", s->http_url, token) >= 0
		       ? SOTTO_OK
		       : SOTTO_ENOMEM;
}

static enum sotto_status start_http(struct sotto_server *s,
				    const struct sotto_server_options *o,
				    struct sotto_error *err)
{
	const struct sotto_http_options http = {.routes = &sotto_server_routes,
						.address = o->http,
						.tls_cert = o->tls_cert,
						.tls_key = o->tls_key,
						.people = s->people,
						.login = s->login,
						.work = s->work,
						.policy = o->policy,
						.wire_port =
							s->wire ? sotto_wire_port(s->wire) : 0,
						.database = s->database,
						.collections = s->collections,
						.proxies = s->policy.proxies,
						.proxy_count = s->policy.proxy_count};
	size_t host;

	if (!o->http)
		return SOTTO_OK;
	SOTTO_TRY(sotto_http_start(&http, &s->http, err));
	host = (size_t)(strrchr(o->http, ':') - o->http);
	return asprintf(&s->http_url, "http%s://%.*s:%u", o->tls_cert ? "s" : "", (int)host,
			o->http, sotto_http_port(s->http)) < 0
		       ? SOTTO_ENOMEM
		       : SOTTO_OK;
}

/* The policy's name, else its folder: what clients of PostgreSQL name as their database. */
static enum sotto_status name_database(struct sotto_server *s, const char *policy)
{
	char *path, *slash;

	if (s->policy.name) {
		s->database = strdup(s->policy.name);
		return s->database ? SOTTO_OK : SOTTO_ENOMEM;
	}
	path = realpath(policy, NULL);
	slash = path ? strrchr(path, '/') : NULL;
	if (slash)
		*slash = '\0';
	slash = path ? strrchr(path, '/') : NULL;
	s->database = strdup(slash && slash[1] ? slash + 1 : "sotto");
	free(path);
	return s->database ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status start_wire(struct sotto_server *s,
				    const struct sotto_server_options *o,
				    struct sotto_error *err)
{
	struct sotto_wire_options wire = {.address = o->wire,
					  .tls_cert = o->tls_cert,
					  .tls_key = o->tls_key,
					  .people = s->people,
					  .login = s->login,
					  .work = s->work,
					  .policy = o->policy};
	size_t host;

	if (!o->wire)
		return SOTTO_OK;
	SOTTO_TRY(name_database(s, o->policy));
	wire.database = s->database;
	SOTTO_TRY(sotto_wire_start(&wire, &s->wire, err));
	host = (size_t)(strrchr(o->wire, ':') - o->wire);
	return asprintf(&s->wire_address, "%.*s:%u", (int)host, o->wire,
			sotto_wire_port(s->wire)) < 0
		       ? SOTTO_ENOMEM
		       : SOTTO_OK;
}

/* Each is read twice, for HTTP and for PostgreSQL: a pipe would be waited for. */
static enum sotto_status
check_tls(const struct sotto_server_options *o, struct sotto_error *err)
{
	const char *const paths[] = {o->tls_cert, o->tls_key};
	struct stat found;

	if (!o->tls_cert != !o->tls_key)
		return sotto_fail(err, SOTTO_EINVAL,
				  "TLS needs both a certificate and its key: --tls-cert FILE "
				  "--tls-key FILE");
	for (size_t i = 0; o->tls_cert && i < sizeof paths / sizeof paths[0]; i++)
		if (stat(paths[i], &found) == 0 && !S_ISREG(found.st_mode))
			return sotto_fail(err, SOTTO_EIO,
					  "%.300s could not be read; it must be a file, not a "
					  "folder, pipe or device",
					  paths[i]);
	return SOTTO_OK;
}

static enum sotto_status
start(struct sotto_server *s, const struct sotto_server_options *o, struct sotto_error *err)
{
	const struct sotto_work_options work = {
		.policy = o->policy,
		.threads = {QUICK_THREADS, o->questions ? o->questions : QUESTIONS},
		.length = LINE_LENGTH,
		.per_name = PER_NAME,
		.pad = PAD};

	SOTTO_TRY(check_tls(o, err));
	SOTTO_TRY(sotto_policy_load(&s->policy, o->policy, err));
	s->has_policy = true;
	SOTTO_TRY(open_people(s, err));
	SOTTO_TRY(sotto_login_new(&s->login));
	SOTTO_TRY(sotto_work_start(&work, &s->work, err));
	SOTTO_TRY(sotto_collections_open(s->policy.collections, s->policy.collection_count,
					 &s->collections, err));
	SOTTO_TRY(start_wire(s, o, err));
	SOTTO_TRY(start_http(s, o, err));
	return make_owner(s, err);
}

enum sotto_status sotto_server_start(const struct sotto_server_options *options,
				     struct sotto_server **out, struct sotto_error *err)
{
	struct sotto_server *s;
	enum sotto_status st;

	if (!options || !options->policy || !out)
		return SOTTO_EINVAL;
	s = calloc(1, sizeof *s);
	if (!s)
		return SOTTO_ENOMEM;
	st = start(s, options, err);
	if (st != SOTTO_OK) {
		sotto_server_stop(s);
		return st;
	}
	*out = s;
	return SOTTO_OK;
}

void sotto_server_addresses(const struct sotto_server *s, struct sotto_server_addresses *out)
{
	if (!s || !out)
		return;
	*out = (struct sotto_server_addresses){.http = s->http_url,
					       .wire = s->wire_address,
					       .database = s->database,
					       .login = s->link,
					       .owner_key =
						       s->owner_key[0] ? s->owner_key : NULL};
}

/* Requests in work hold connections: the work ends first, then the connections, then what both use. */
void sotto_server_stop(struct sotto_server *s)
{
	if (!s)
		return;
	sotto_http_quiesce(s->http);
	sotto_work_stop(s->work);
	sotto_collections_stop(s->collections);
	sotto_wire_stop(s->wire);
	sotto_http_stop(s->http);
	sotto_collections_close(s->collections);
	sotto_work_free(s->work);
	sotto_login_free(s->login);
	sotto_people_close(s->people);
	free(s->http_url);
	free(s->wire_address);
	free(s->database);
	free(s->link);
	if (s->has_policy)
		sotto_policy_release(&s->policy);
	free(s);
}
