/*
 * Ready profiles: the published budgets of the 2020 census products, as plans without data.
 *
 * Sources: the production settings of the 2020 redistricting release (persons and units) and
 * the level budgets of the demographic and housing characteristics release; the queries of
 * dhc-shape are of the same sizes, not the same ones.
 */
#include <string.h>

#include "census/plan/census_profile.h"

/* What persons of the United States and of Puerto Rico have in common. */
#define PERSONS                                                                                \
	"attributes:\n"                                                                        \
	"  - {name: hhgq, column: hhgq, categories: [household, correctional, "                \
	"juvenile, nursing, other_inst, college, military, other_noninst]}\n"                  \
	"  - {name: votingage, column: votingage, categories: [minor, adult]}\n"               \
	"  - {name: hispanic, column: hispanic, categories: [not_hispanic, "                   \
	"hispanic]}\n"                                                                         \
	"  - {name: cenrace, column: cenrace, categories: [white, black, aian, "               \
	"asian, nhpi, other, white+black, white+aian, white+asian, white+nhpi, "               \
	"white+other, black+aian, black+asian, black+nhpi, black+other, "                      \
	"aian+asian, aian+nhpi, aian+other, asian+nhpi, asian+other, nhpi+other, "             \
	"white+black+aian, white+black+asian, white+black+nhpi, "                              \
	"white+black+other, white+aian+asian, white+aian+nhpi, white+aian+other, "             \
	"white+asian+nhpi, white+asian+other, white+nhpi+other, "                              \
	"black+aian+asian, black+aian+nhpi, black+aian+other, black+asian+nhpi, "              \
	"black+asian+other, black+nhpi+other, aian+asian+nhpi, aian+asian+other, "             \
	"aian+nhpi+other, asian+nhpi+other, white+black+aian+asian, "                          \
	"white+black+aian+nhpi, white+black+aian+other, white+black+asian+nhpi, "              \
	"white+black+asian+other, white+black+nhpi+other, white+aian+asian+nhpi, "             \
	"white+aian+asian+other, white+aian+nhpi+other, white+asian+nhpi+other, "              \
	"black+aian+asian+nhpi, black+aian+asian+other, black+aian+nhpi+other, "               \
	"black+asian+nhpi+other, aian+asian+nhpi+other, "                                      \
	"white+black+aian+asian+nhpi, white+black+aian+asian+other, "                          \
	"white+black+aian+nhpi+other, white+black+asian+nhpi+other, "                          \
	"white+aian+asian+nhpi+other, black+aian+asian+nhpi+other, "                           \
	"white+black+aian+asian+nhpi+other]}\n"                                                \
	"queries: {hhinstlevels: {hhgq: [[household], [correctional, juvenile, "               \
	"nursing, other_inst], [college, military, other_noninst]]}}\n"                        \
	"structural_zeros: [{hhgq: nursing, votingage: minor}]\n"                              \
	"privacy: {model: zcdp, rho: 293764/114921, delta: 1e-10, neighbours: "                \
	"replace-one}\n"

#define COUNTY_QUERIES                                                                         \
	"    County: {\"total\": 3126/4097, \"cenrace\": 10/4097, \"hispanic\": "              \
	"10/4097, \"votingage\": 10/4097, \"hhinstlevels\": 10/4097, \"hhgq\": "               \
	"10/4097, \"votingage*hispanic\": 10/4097, \"hispanic*cenrace\": 28/4097, "            \
	"\"votingage*cenrace\": 28/4097, \"votingage*hispanic*cenrace\": 101/4097, "           \
	"\"detailed\": 754/4097}\n"

#define BLOCK_QUERIES                                                                          \
	"    Block: {\"total\": 5/4097, \"cenrace\": 9/4097, \"hispanic\": 5/4097, "           \
	"\"votingage\": 5/4097, \"hhinstlevels\": 5/4097, \"hhgq\": 5/4097, "                  \
	"\"votingage*hispanic\": 5/4097, \"hispanic*cenrace\": 21/4097, "                      \
	"\"votingage*cenrace\": 21/4097, \"votingage*hispanic*cenrace\": 71/4097, "            \
	"\"detailed\": 3945/4097}\n"

#define ESTIMATE "estimate: {mode: gls, up_levels: auto, rounding: l1, bypass: true}\n"

static const char pl94_us_persons[] =
	"hierarchy: [{level: US}, {level: State, column: state}, {level: County, "
	"column: county}, {level: Tract, column: tract}, {level: BG, column: "
	"bg}, {level: Block, column: block}]\n" PERSONS "budget:\n"
	"  levels: {US: 104/4099, State: 1440/4099, County: 447/4099, Tract: "
	"687/4099, BG: 1256/4099, Block: 165/4099}\n"
	"  queries:\n"
	"    US: {\"cenrace\": 52/4097, \"hispanic\": 26/4097, \"votingage\": 26/4097, "
	"\"hhinstlevels\": 26/4097, \"hhgq\": 26/4097, \"votingage*hispanic\": "
	"26/4097, \"hispanic*cenrace\": 130/4097, \"votingage*cenrace\": 130/4097, "
	"\"votingage*hispanic*cenrace\": 26/241, \"detailed\": 189/241}\n"
	"    State: {\"total\": 3773/4097, \"cenrace\": 6/4097, \"hispanic\": 6/4097, "
	"\"votingage\": 6/4097, \"hhinstlevels\": 6/4097, \"hhgq\": 6/4097, "
	"\"votingage*hispanic\": 6/4097, \"hispanic*cenrace\": 12/4097, "
	"\"votingage*cenrace\": 12/4097, \"votingage*hispanic*cenrace\": 2/241, "
	"\"detailed\": 230/4097}\n" COUNTY_QUERIES
	"    Tract: {\"total\": 1567/4102, \"cenrace\": 4/2051, \"hispanic\": 5/4102, "
	"\"votingage\": 5/4102, \"hhinstlevels\": 5/4102, \"hhgq\": 5/4102, "
	"\"votingage*hispanic\": 5/4102, \"hispanic*cenrace\": 1933/4102, "
	"\"votingage*cenrace\": 10/2051, \"votingage*hispanic*cenrace\": 67/4102, "
	"\"detailed\": 241/2051}\n"
	"    BG: {\"total\": 1705/4099, \"cenrace\": 3/4099, \"hispanic\": 3/4099, "
	"\"votingage\": 3/4099, \"hhinstlevels\": 3/4099, \"hhgq\": 3/4099, "
	"\"votingage*hispanic\": 3/4099, \"hispanic*cenrace\": 1055/4099, "
	"\"votingage*cenrace\": 9/4099, \"votingage*hispanic*cenrace\": 24/4099, "
	"\"detailed\": 1288/4099}\n" BLOCK_QUERIES
	"invariants: [{level: State, query: total}]\n" ESTIMATE;

static const char pl94_pr_persons[] =
	"hierarchy: [{level: State}, {level: County, column: county}, {level: "
	"Tract, column: tract}, {level: BG, column: bg}, {level: Block, column: "
	"block}]\n" PERSONS "budget:\n"
	"  levels: {State: 689/4099, County: 695/4099, Tract: 772/4099, BG: "
	"1778/4099, Block: 165/4099}\n"
	"  queries:\n"
	"    State: {\"cenrace\": 11/108, \"hispanic\": 11/108, \"votingage\": 11/108, "
	"\"hhinstlevels\": 11/108, \"hhgq\": 11/108, \"votingage*hispanic\": 11/108, "
	"\"hispanic*cenrace\": 53/513, \"votingage*cenrace\": 53/513, "
	"\"votingage*hispanic*cenrace\": 56/513, \"detailed\": 25/342}\n" COUNTY_QUERIES
	"    Tract: {\"total\": 1467/4102, \"cenrace\": 13/4102, \"hispanic\": 1/586, "
	"\"votingage\": 1/586, \"hhinstlevels\": 1/586, \"hhgq\": 1/586, "
	"\"votingage*hispanic\": 1/586, \"hispanic*cenrace\": 866/2051, "
	"\"votingage*cenrace\": 15/2051, \"votingage*hispanic*cenrace\": 50/2051, "
	"\"detailed\": 725/4102}\n"
	"    BG: {\"total\": 1876/4103, \"cenrace\": 4/4103, \"hispanic\": 4/4103, "
	"\"votingage\": 4/4103, \"hhinstlevels\": 4/4103, \"hhgq\": 4/4103, "
	"\"votingage*hispanic\": 4/4103, \"hispanic*cenrace\": 749/4103, "
	"\"votingage*cenrace\": 10/4103, \"votingage*hispanic*cenrace\": 27/4103, "
	"\"detailed\": 1417/4103}\n" BLOCK_QUERIES
	"invariants: [{level: State, query: total}]\n" ESTIMATE;

static const char pl94_us_units[] =
	"hierarchy: [{level: US}, {level: State, column: state}, {level: County, "
	"column: county}, {level: Tract, column: tract}, {level: BG, column: "
	"bg}, {level: Block, column: block}]\n"
	"attributes:\n"
	"  - {name: occupancy, column: occupancy, categories: [occupied, "
	"vacant]}\n"
	"privacy: {model: zcdp, rho: 11417641/152349649, delta: 1e-10, "
	"neighbours: replace-one}\n"
	"budget:\n"
	"  levels: {US: 1/205, State: 1/205, County: 7/82, Tract: 364/1025, BG: "
	"1759/4100, Block: 99/820}\n"
	"  queries:\n"
	"    US: {\"detailed\": 1}\n"
	"    State: {\"detailed\": 1}\n"
	"    County: {\"detailed\": 1}\n"
	"    Tract: {\"detailed\": 1}\n"
	"    BG: {\"detailed\": 1}\n"
	"    Block: {\"detailed\": 1}\n"
	"invariants: [{level: Block, query: total}]\n" ESTIMATE;

/*
 * Ten queries: of equal weight, or one or two of them four times as heavy.  The groupings of
 * relgq and age make the cells of pl94-us-persons: a released table of those is given as
 *	invariants: [{level: Block, query: "hhgq*votingage*hispanic*cenrace", values: FILE}]
 */
#define EQUAL_QUERIES                                                                          \
	"{\"total\": 1/10, \"relgq\": 1/10, \"sex\": 1/10, \"age\": 1/10, \"hispanic\": "      \
	"1/10, \"cenrace\": 1/10, \"relgq*sex\": 1/10, \"hispanic*cenrace\": 1/10, "           \
	"\"sex*age\": 1/10, \"detailed\": 1/10}\n"

#define ONE_HEAVY_QUERY                                                                        \
	"{\"total\": 1/13, \"relgq\": 1/13, \"sex\": 1/13, \"age\": 1/13, \"hispanic\": "      \
	"1/13, \"cenrace\": 1/13, \"relgq*sex\": 1/13, \"hispanic*cenrace\": 4/13, "           \
	"\"sex*age\": 1/13, \"detailed\": 1/13}\n"

#define TWO_HEAVY_QUERIES                                                                      \
	"{\"total\": 1/16, \"relgq\": 1/16, \"sex\": 1/16, \"age\": 1/16, \"hispanic\": "      \
	"1/16, \"cenrace\": 1/16, \"relgq*sex\": 1/16, \"hispanic*cenrace\": 4/16, "           \
	"\"sex*age\": 4/16, \"detailed\": 1/16}\n"

#define EIGHT_LEVELS                                                                           \
	"hierarchy: [{level: US}, {level: State, column: state}, {level: County, "             \
	"column: county}, {level: Prim, column: prim}, {level: TractGroup, "                   \
	"column: tractgroup}, {level: Tract, column: tract}, {level: BG, column: "             \
	"bg}, {level: Block, column: block}]\n"

static const char dhc_shape[] = EIGHT_LEVELS
	"attributes:\n"
	"  - {name: relgq, column: relgq, categories: 42}\n"
	"  - {name: sex, column: sex, categories: 2}\n"
	"  - {name: age, column: age, categories: 116}\n"
	"  - {name: hispanic, column: hispanic, categories: 2}\n"
	"  - {name: cenrace, column: cenrace, categories: 63}\n"
	"queries: {hhgq: {relgq: [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, "
	"13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, "
	"30, 31, 32, 33, 34], [35], [36], [37], [38], [39], [40], [41]]}, "
	"votingage: {age: [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, "
	"15, 16, 17], [18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, "
	"32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, "
	"49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, "
	"66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, "
	"83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, "
	"100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, "
	"114, 115]]}}\n"
	"privacy: {model: zcdp, rho: 49622/10000, delta: 1e-10, neighbours: "
	"replace-one}\n"
	"budget:\n"
	"  levels: {US: 949/49622, State: 12987/49622, County: 4960/49622, Prim: "
	"6214/49622, TractGroup: 6214/49622, Tract: 13888/49622, BG: 4300/49622, "
	"Block: 110/49622}\n"
	"  queries:\n"
	"    US: " EQUAL_QUERIES "    State: " ONE_HEAVY_QUERY "    County: " ONE_HEAVY_QUERY
	"    Prim: " TWO_HEAVY_QUERIES "    TractGroup: " ONE_HEAVY_QUERY
	"    Tract: " ONE_HEAVY_QUERY "    BG: " TWO_HEAVY_QUERIES "    Block: " EQUAL_QUERIES
	"estimate: {mode: topdown, rounding: l1}\n";

/* The same for households: a group of the elderly keeps one axis explicit, six are regular. */
#define EQUAL_UNITS                                                                            \
	"{\"total\": 1/10, \"sex\": 1/10, \"hhage\": 1/10, \"tenure\": 1/10, \"over60\": "     \
	"1/10, \"hhtype\": 1/10, \"sex*hhage\": 1/10, \"hispanic*race\": 1/10, "               \
	"\"sex*tenure\": 1/10, \"detailed\": 1/10}\n"

#define ONE_HEAVY_OF_UNITS                                                                     \
	"{\"total\": 1/13, \"sex\": 1/13, \"hhage\": 1/13, \"tenure\": 1/13, \"over60\": "     \
	"1/13, \"hhtype\": 1/13, \"sex*hhage\": 1/13, \"hispanic*race\": 4/13, "               \
	"\"sex*tenure\": 1/13, \"detailed\": 1/13}\n"

#define TWO_HEAVY_OF_UNITS                                                                     \
	"{\"total\": 1/16, \"sex\": 1/16, \"hhage\": 1/16, \"tenure\": 1/16, \"over60\": "     \
	"1/16, \"hhtype\": 4/16, \"sex*hhage\": 1/16, \"hispanic*race\": 4/16, "               \
	"\"sex*tenure\": 1/16, \"detailed\": 1/16}\n"

static const char dhc_shape_units[] = EIGHT_LEVELS
	"attributes:\n"
	"  - {name: sex, column: sex, categories: 2}\n"
	"  - {name: hhage, column: hhage, categories: 9}\n"
	"  - {name: hispanic, column: hispanic, categories: 2}\n"
	"  - {name: race, column: race, categories: 7}\n"
	"  - {name: elderly, column: elderly, categories: 4}\n"
	"  - {name: tenure, column: tenure, categories: 3}\n"
	"  - {name: hhtype, column: hhtype, categories: 522}\n"
	"queries: {over60: {elderly: [[0], [1, 2, 3]]}}\n"
	"privacy: {model: zcdp, rho: 77005/10000, delta: 1e-10, neighbours: "
	"replace-one}\n"
	"budget:\n"
	"  levels: {US: 4834/77005, State: 17012/77005, County: 14454/77005, Prim: "
	"9712/77005, TractGroup: 9712/77005, Tract: 16861/77005, BG: 4260/77005, "
	"Block: 160/77005}\n"
	"  queries:\n"
	"    US: " EQUAL_UNITS "    State: " ONE_HEAVY_OF_UNITS
	"    County: " ONE_HEAVY_OF_UNITS "    Prim: " TWO_HEAVY_OF_UNITS
	"    TractGroup: " ONE_HEAVY_OF_UNITS "    Tract: " ONE_HEAVY_OF_UNITS
	"    BG: " TWO_HEAVY_OF_UNITS "    Block: " EQUAL_UNITS
	"estimate: {mode: topdown, rounding: l1}\n";

static const struct {
	const char *name, *text;
} profiles[] = {
	{"pl94-us-persons", pl94_us_persons}, {"pl94-pr-persons", pl94_pr_persons},
	{"pl94-us-units", pl94_us_units},     {"dhc-shape", dhc_shape},
	{"dhc-shape-units", dhc_shape_units},
};

const char *sotto_census_profile(const char *name)
{
	for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
		if (strcmp(profiles[i].name, name) == 0)
			return profiles[i].text;
	return NULL;
}

const char *sotto_census_profile_names(void)
{
	return "pl94-us-persons, pl94-pr-persons, pl94-us-units, dhc-shape, "
	       "dhc-shape-units";
}
