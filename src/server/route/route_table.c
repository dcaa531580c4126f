/* The table of all routes.  docs/openapi.json describes them; a test compares the two. */
#include "server/route/route_table.h"

#include "server/route/route_account.h"
#include "server/route/route_ask.h"
#include "server/route/route_budget.h"
#include "server/route/route_collections.h"
#include "server/route/route_owner.h"
#include "server/route/route_people.h"
#include "server/route/route_plan.h"
#include "server/route/route_policy.h"
#include "server/route/route_tables.h"

/* What a question is asked with. */
#define QUESTION                                                                               \
	"sql:text epsilon:number delta:number error:number diagnostics:number "                \
	"mechanism:text weights:object fresh:flag"

#define SMALL ((size_t)1 << 20)
#define BATCH ((size_t)64 << 20)

static const struct sotto_route routes[] = {
	{"GET", "/v1/healthz", 0, SOTTO_AT_ONCE, 0, sotto_route_health,
	 "says that the server runs", false, NULL},
	{"POST", "/v1/login", 0, SOTTO_AT_ONCE, SMALL, sotto_route_login,
	 "logs a browser in with a key or the token of a link", false, "key:text token:text"},
	{"POST", "/v1/logout", SOTTO_FOR_PEOPLE, SOTTO_AT_ONCE, SMALL, sotto_route_logout,
	 "logs a browser out", false, NULL},
	{"GET", "/v1/me", SOTTO_FOR_PEOPLE, SOTTO_AT_ONCE, 0, sotto_route_me, "says who asks",
	 false, NULL},
	{"POST", "/v1/query", SOTTO_FOR_PEOPLE, SOTTO_LANE_QUICK, SMALL, sotto_route_query,
	 "answers SQL privately and charges the ledger", true, QUESTION},
	{"POST", "/v1/explain", SOTTO_FOR_PEOPLE, SOTTO_LANE_QUICK, SMALL, sotto_route_explain,
	 "says what a query would do, what it would cost and how large its error would be",
	 false, QUESTION " preview:flag"},
	{"GET", "/v1/tables", SOTTO_FOR_PEOPLE, SOTTO_LANE_QUICK, 0, sotto_route_tables,
	 "lists the tables and columns that can be asked about", false, NULL},
	{"GET", "/v1/budget", SOTTO_FOR_PEOPLE, SOTTO_LANE_QUICK, 0, sotto_route_budget,
	 "says what was spent and what is left", false, NULL},
	{"GET", "/v1/history", SOTTO_FOR_PEOPLE, SOTTO_LANE_QUICK, 0, sotto_route_history,
	 "lists releases", false, NULL},
	{"POST", "/v1/account", SOTTO_FOR_PEOPLE, SOTTO_LANE_QUESTION, SMALL,
	 sotto_route_account, "prices a workload", false,
	 "events:events delta:number epsilon:number"},
	{"GET", "/v1/policy", SOTTO_FOR_OWNER, SOTTO_LANE_QUICK, 0, sotto_route_policy_get,
	 "gives the text of the policy", false, NULL},
	{"PUT", "/v1/policy", SOTTO_FOR_OWNER, SOTTO_LANE_QUICK, SMALL, sotto_route_policy_put,
	 "replaces the policy, once it is checked and its changes are agreed to", false,
	 "text:text accept:flag look:flag"},
	{"GET", "/v1/collections", SOTTO_FOR_PEOPLE, SOTTO_AT_ONCE, 0, sotto_route_collections,
	 "lists collections of reports", false, NULL},
	{"POST", "/v1/collections/{name}/reports", SOTTO_FOR_DEVICE | SOTTO_FOR_OWNER,
	 SOTTO_LATER, BATCH, sotto_route_reports,
	 "stores a batch of reports durably, and counts it once", false, NULL},
	{"GET", "/v1/collections/{name}/estimates", SOTTO_FOR_PEOPLE, SOTTO_LANE_QUICK, 0,
	 sotto_route_estimates, "estimates what devices hold, with intervals", false, NULL},
	{"POST", "/v1/plan", SOTTO_FOR_PEOPLE, SOTTO_LANE_QUICK, SMALL, sotto_route_plan,
	 "compares protocols for a collection", false,
	 "users:number values:number epsilon:number"},
	{"POST", "/v1/limits", SOTTO_FOR_OWNER, SOTTO_LANE_QUESTION, SMALL, sotto_route_limits,
	 "finds contribution limits of a table privately", true,
	 "table:text by:text epsilon:number fresh:flag write:flag"},
	{"POST", "/v1/bounds", SOTTO_FOR_OWNER, SOTTO_LANE_QUESTION, SMALL, sotto_route_bounds,
	 "finds bounds of a column privately", true,
	 "column:text epsilon:number fresh:flag write:flag"},
	{"GET", "/v1/users", SOTTO_FOR_OWNER, SOTTO_AT_ONCE, 0, sotto_route_users_get,
	 "lists people", false, NULL},
	{"POST", "/v1/users", SOTTO_FOR_OWNER, SOTTO_AT_ONCE, SMALL, sotto_route_users_add,
	 "adds a user and returns the key, once", false,
	 "name:text role:text share:text collection:text"},
	{"POST", "/v1/users/{name}/rotate", SOTTO_FOR_OWNER, SOTTO_AT_ONCE, SMALL,
	 sotto_route_user_rotate, "gives a user a new key", false, NULL},
	{"POST", "/v1/users/{name}/revoke", SOTTO_FOR_OWNER, SOTTO_AT_ONCE, SMALL,
	 sotto_route_user_revoke, "ends somebody's key", false, NULL},
	{"GET", "/v1/metrics", SOTTO_FOR_OWNER, SOTTO_AT_ONCE, 0, sotto_route_metrics,
	 "counts for Prometheus", false, NULL},
};

const struct sotto_route_table sotto_server_routes = {
	.list = routes, .count = sizeof routes / sizeof routes[0]};
