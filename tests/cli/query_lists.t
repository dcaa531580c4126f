#!/usr/bin/env python3
# The lists of questions in tests/sql/lists: each is planned, a sample is answered too.  What is
# refused says so in one line with the words that the list gives, and costs nothing.  The format:
#
#	+ SELECT ...	is answered
#	? SELECT ...	could be answered safely and is not; words as below
#	- SELECT ...	must not be answered, or means nothing
#	! words		of the refusal above
#
# At least 85 % of what could be answered safely is.  Plans are asked for in one conversation of sotto shell for each list, every
# tenth by the command.
import csv, json, os, re, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
from conversation import Conversation, is_plain

sotto = os.environ.get("SOTTO", os.path.join(os.getcwd(), "build/sotto"))
lists = os.path.join(here, "../sql/lists")
SAMPLE = 12  # every twelfth is answered, not only planned
# The sanitizers' build plans every sixth; make check-long plans them all.
STRIDE = 6 if os.environ.get("SOTTO_VARIANT") == "asan" and "SOTTO_LONG" not in os.environ else 1

NATIONS = [("FRANCE", 3), ("GERMANY", 3), ("BRAZIL", 1), ("CHINA", 2), ("JAPAN", 2), ("KENYA", 0), ("IRAN", 4)]
ROWS = {
	"tpch": {
		"region": ("r_regionkey r_name", [(i, n) for i, n in enumerate("AFRICA AMERICA ASIA EUROPE".split() + ["MIDDLE EAST"])]),
		"nation": ("n_nationkey n_name n_regionkey", [(i, n, r) for i, (n, r) in enumerate(NATIONS)]),
		"supplier": ("s_suppkey s_name s_address s_nationkey s_phone s_acctbal s_comment",
			     [(i, f"S{i}", "a", i % 7, "1", i, "c") for i in range(9)]),
		"part": ("p_partkey p_name p_mfgr p_brand p_type p_size p_container p_retailprice p_comment",
			 [(i, "green", "M", f"Brand#{i % 3}", "PROMO", i % 50, "SM CASE", 900 + i, "c") for i in range(30)]),
		"partsupp": ("ps_partkey ps_suppkey ps_availqty ps_supplycost ps_comment",
			     [(i, i % 9, 10 + i, 1 + i, "c") for i in range(30)]),
		"customer": ("c_custkey c_name c_address c_nationkey c_phone c_acctbal c_mktsegment c_comment",
			     [(i, f"C{i}", "a", i % 7, f"{13 + i % 9}-1", 10 * i, "BUILDING", "c") for i in range(60)]),
		"orders": ("o_orderkey o_custkey o_orderstatus o_totalprice o_orderdate o_orderpriority o_clerk o_shippriority "
			   "o_comment", [(i, i % 60, "OFP"[i % 3], 100 * i, f"199{4 + i % 4}-0{1 + i % 9}-11", "5-LOW", "k", 0, "c")
					 for i in range(120)]),
		"lineitem": ("l_orderkey l_partkey l_suppkey l_linenumber l_quantity l_extendedprice l_discount l_tax l_returnflag "
			     "l_linestatus l_shipdate l_commitdate l_receiptdate l_shipinstruct l_shipmode l_comment",
			     [(i % 120, i % 30, i % 9, 1 + i // 120, i % 50, 100 + i, 0.05, 0.02, "RAN"[i % 3], "OF"[i % 2], "1995-03-20",
			       "1995-03-25", "1995-03-28", "NONE", ["MAIL", "SHIP", "AIR"][i % 3], "c") for i in range(240)]),
	},
	"hits": {
		"hits": ("WatchID Title EventTime EventDate CounterID ClientIP RegionID UserID URL Referer IsRefresh ResolutionWidth "
			 "MobilePhone MobilePhoneModel SearchEngineID SearchPhrase AdvEngineID IsLink IsDownload DontCountHits "
			 "TraficSourceID URLHash RefererHash WindowClientWidth WindowClientHeight",
			 [(i, "t", f"2013-07-{1 + i % 31:02d} 10:00:00", f"2013-07-{1 + i % 31:02d}", i % 4, i % 9, i % 5, i % 40,
			   "http://a", "http://b", i % 2, 1024, 0, "", i % 7, "x", i % 9, 0, 0, 0, 1, i, i, 800, 600)
			  for i in range(200)]),
	},
	"pums": {
		"pums": ("pid age sex educ race income married region born",
			 [(i % 90, i % 100, i % 2, 1 + i % 16, 1 + i % 6, 1000 * (i % 90), "true" if i % 3 else "false",
			   ["North", "South", "East", "West"][i % 4], f"19{30 + i % 70}-05-05") for i in range(200)]),
		"regions": ("region area coastal", [("North", 5, "true"), ("South", 20, "false"), ("East", 9, "true"), ("West", 3, "false")]),
	},
	"imdb": {
		"users": ("user_id birth_year country joined",
			  [(i, 1940 + i % 60, ["IT", "FR", "DE", "US"][i % 4], f"20{10 + i % 14}-03-03") for i in range(80)]),
		"ratings": ("rating_id user_id movie_id rating rated_at minutes device comment",
			    [(i, i % 80, i % 20, 1 + i % 10, f"2020-{1 + i % 12:02d}-04 05:06:07", i % 300, ["phone", "tv", "web"][i % 3], "c")
			     for i in range(200)]),
		"reviews": ("rating_id words useful", [(i, 10 * i, "true") for i in range(100)]),
		"movies": ("movie_id title year runtime", [(i, f"The {i}", 1990 + i, 80 + 5 * i) for i in range(20)]
			   + [(i, "x", 1950, 90) for i in range(1000, 12000)]),
		"genres": ("movie_id genre", [(i, ["drama", "comedy"][i % 2]) for i in range(20)]),
	},
	"natural": {
		"trips": ("rider_id pickup_at dropoff_at distance_km fare tip passengers payment zone_id",
			  [(i % 50, f"2023-{1 + i % 12:02d}-{1 + i % 28:02d} {i % 24:02d}:10:00", f"2023-{1 + i % 12:02d}-{1 + i % 28:02d} {i % 24:02d}:35:00",
			    i % 30, 5 + i % 60, i % 9, 1 + i % 5, ["cash", "card", "app"][i % 3], i % 6) for i in range(300)]),
		"zones": ("zone_id borough", [(i, ["north", "south", "east"][i % 3]) for i in range(6)]),
		"stays": ("patient admitted discharged ward age cost died diagnosis readmitted",
			  [(i % 60, f"2023-{1 + i % 12:02d}-0{1 + i % 9}", f"2023-{1 + i % 12:02d}-1{i % 9}", ["icu", "surgery", "maternity", "general"][i % 4],
			    i % 100, 100 * (i % 90), "true" if i % 20 == 0 else "false", f"I2{i % 9}", "false") for i in range(200)]),
		"buyers": ("buyer_id country born vip", [(i, ["IT", "FR", "DE", "US"][i % 4], f"19{40 + i % 60}-04-05", "false") for i in range(80)]),
		"purchases": ("buyer_id bought_at amount quantity category status info",
			      [(i % 70, f"2024-{1 + i % 12:02d}-{1 + i % 28:02d} 12:00:00", i % 100, 1 + i % 3, ["books", "food", "toys", "tools"][i % 4],
				["paid", "sent", "returned"][i % 3], '{"channel": "web"}') for i in range(200)]),
		"requests": ("visitor at status bytes ms method bot path referrer",
			     [(i % 40, f"2024-02-{1 + i % 28:02d} {i % 24:02d}:00:00", [200, 404, 500][i % 3], 100 * i, i % 900, ["GET", "POST"][i % 2],
			       "false", "/api/x", "https://www.a.example/") for i in range(300)]),
	},
	"analysts": {
		"patients": ("patient_id dob sex insurance zip",
			     [(i, f"{1930 + i % 85}-{1 + i % 12:02d}-{1 + i % 28:02d}", "FM"[i % 2], ["public", "private", "none"][i % 3], f"0{i % 9}123")
			      for i in range(90)]),
		"admissions": ("admission_id patient_id admit_ts discharge_ts ward dx severity los_days cost readmit",
			       [(i, i % 83, f"202{2 + i % 3}-{1 + i % 12:02d}-{1 + i % 20:02d} {i % 24:02d}:15:00",
				 f"202{2 + i % 3}-{1 + i % 12:02d}-{1 + i % 20 + i % 8:02d} 23:45:00", ["ER", "ICU", "SURG", "MED"][i % 4], f"I2{i % 9}",
				 1 + i % 4, i % 60, i * 37 % 9000 + 0.25, "true" if i % 5 == 0 else "false") for i in range(250)]),
		"labs": ("patient_id taken_at test value",
			 [(i % 70, f"202{2 + i % 3}-{1 + i % 12:02d}-{1 + i % 20:02d} 12:00:00", ["GLU", "HBA1C", "LDL", "CRP"][i % 4], i % 300)
			  for i in range(300)]),
		"icd": ("dx chapter", [(f"I2{i}", ["heart", "vessels", "other"][i % 3]) for i in range(9)]),
		"rides": ("rider_id driver_id started ended km fare tip surge city zone stars",
			  [(i % 60, i % 13, f"202{3 + i % 2}-{1 + i % 12:02d}-{1 + i % 28:02d} {i % 24:02d}:10:00",
			    f"202{3 + i % 2}-{1 + i % 12:02d}-{1 + i % 28:02d} {i % 24:02d}:{11 + i % 40}:30", i % 30 + 0.5, 5 + i % 60, i % 9, 1 + i % 30 / 10,
			    ["Rome", "Lyon", "Ghent"][i % 3], 1 + i % 20, "" if i % 7 == 0 else 1 + i % 5) for i in range(300)]),
		"zone_names": ("zone name airport", [(i, f"Z{i}", "true" if i % 5 == 0 else "false") for i in range(1, 21)]),
		"customers": ("customer_id signup country channel",
			      [(i, f"202{1 + i % 4}-{1 + i % 12:02d}-{1 + i % 28:02d}", ["IT", "FR", "DE", "US"][i % 4], ["ads", "organic", "referral"][i % 3])
			       for i in range(80)]),
		"orders": ("order_id customer_id ordered_at status total items",
			   [(i, i % 71, f"202{1 + i % 4}-{1 + i % 12:02d}-{1 + i % 28:02d} 12:0{i % 10}:00", ["paid", "shipped", "returned", "cancelled"][i % 4],
			     i * 13 % 1500 + 0.5, 1 + i % 9) for i in range(260)]),
		"order_items": ("order_id sku qty price", [(i % 260, i % 25, 1 + i % 4, i % 200 + 0.99) for i in range(500)]),
		"products": ("sku category brand", [(i, ["food", "toys", "tools"][i % 3], f"B{i % 4}") for i in range(25)]),
		"survey": ("respondent age gender party q1 q2 q3 income weight answered",
			   [(i, 18 + i % 80, "fmx"[i % 3], ["left", "centre", "right", "none"][i % 4], 1 + i % 5, 1 + i * 3 % 5, i % 11, 1000 * (i % 90),
			     0.5 + i % 20 / 10, f"2024-0{3 + i % 2}-{1 + i % 28:02d}") for i in range(200)]),
		"events": ("user_id ts event page device country session_id duration_ms revenue",
			   [(i % 50, f"2024-0{1 + i % 6}-{1 + i % 28:02d} {i % 24:02d}:{i % 60:02d}:00", ["view", "cart", "checkout", "purchase"][i % 4],
			     f"/{['shop', 'blog', 'help'][i % 3]}/{i % 5}", ["desktop", "mobile", "tablet"][i % 3], ["IT", "FR"][i % 2], f"s{i % 90}", 100 * i,
			     i % 50 + 0.5 if i % 4 == 3 else 0) for i in range(400)]),
	},
	"dialects": {
		"patient": ("mrn born sex insurer bmi smoker",
			    [(i, f"19{30 + i % 70}-02-03", "FMX"[i % 3], ["public", "private", "none"][i % 3], 15 + i % 40, "true" if i % 4 == 0 else "false")
			     for i in range(90)]),
		"encounter": ("mrn admitted_at discharged_at dept triage charge icd note died",
			      [(i % 90, f"2023-{1 + i % 12:02d}-0{1 + i % 9} 07:08:09", f"2023-{1 + i % 12:02d}-1{i % 9} 10:11:12",
				["ER", "ICU", "CARD", "ONCO", "PED"][i % 5], 1 + i % 5, 100 * (i % 90), f"I2{i % 9}", "n", "true" if i % 30 == 0 else "false")
			       for i in range(250)]),
		"department": ("dept wing beds", [(d, "AB"[i % 2], 10 * i) for i, d in enumerate("ER ICU CARD ONCO PED".split())]),
		"client": ("client_id segment signup credit country",
			   [(i, ["HOME", "AUTO", "SHOPFLOOR"][i % 3], f"20{18 + i % 7}-05-06", 10 * i - 100, ["IT", "FR"][i % 2]) for i in range(80)]),
		"sale": ("client_id sold_on channel qty price discount sku coupon",
			 [(i % 80, f"202{1 + i % 4}-{1 + i % 12:02d}-0{1 + i % 9}", ["web", "store", "phone"][i % 3], i % 30, i % 500, 0.05 * (i % 6), i % 20, "")
			  for i in range(250)]),
		"product": ("sku name category weight", [(i, f"p{i}", ["food", "toys", "tools"][i % 3], i / 4) for i in range(20)]),
		"pageview": ("visitor_id ts device url referer load_ms width is_bot event_id props",
			     [(i % 60, f"2024-05-{1 + i % 31:02d} {i % 24:02d}:05:06", ["desktop", "mobile", "tablet"][i % 3], "https://shop.example/cart",
			       "https://a.example/", 7 * i, 300 * (i % 9), "false", 9007199254740990 + i % 7, '{"plan": "pro"}') for i in range(250)]),
		"cab": ("medallion pickup dropoff passenger_count trip_distance fare_amount tip_amount total_amount payment_type pu_zone do_zone",
			[(i % 40, f"2019-{1 + i % 12:02d}-{1 + i % 28:02d} {i % 24:02d}:10:00", f"2019-{1 + i % 12:02d}-{1 + i % 28:02d} {i % 24:02d}:{11 + i % 40}:00",
			  i % 7, i % 30, 3 + i % 60, i % 9, 4 + i % 70, 1 + i % 4, 1 + i % 9, 1 + i % 7) for i in range(300)]),
		"zone": ("location_id borough", [(i, ["Queens", "Bronx", "Brooklyn"][i % 3]) for i in range(1, 266)]),
	},
}


def run(*arguments):
	p = subprocess.run([sotto, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
	return p.returncode, p.stdout, p.stderr.strip()


def read_list(name):
	questions = []
	for number, line in enumerate(open(os.path.join(lists, name)), 1):
		if line[:2] in ("+ ", "- ", "? "):
			questions.append({"line": number, "mark": line[0], "sql": line[2:].strip(), "words": None})
		elif line.startswith("! "):
			questions[-1]["words"] = line[2:].strip()
	return questions


def released():
	return json.loads(run("budget", "--format", "json")[1])["releases"]


def explain(question, number, conversation):
	if number % 10 == 0 or not is_plain(question["sql"]):
		return run("explain", question["sql"])
	return conversation.explain(question["sql"])


def complaint_of(question, number, conversation, before):
	status, out, err = explain(question, number, conversation)
	if question["mark"] == "+":
		if status != 0:
			return err
		if number % SAMPLE == 0:
			status, out, err = run("query", "--epsilon", "10", question["sql"])
			return err if status != 0 else None
		return None
	if status == 0:
		return "it is planned"
	if "\n" in err or (question["words"] or "?").lower() not in err.lower():
		return err
	status, out, err = run("query", question["sql"])
	return "the refusal was charged or answered" if status == 0 or out or released() != before else None


safe = answered = tests = 0
for name in sorted(os.listdir(lists)):
	if not name.endswith(".list") or (len(sys.argv) > 1 and sys.argv[1] not in name):
		continue
	folder = tempfile.TemporaryDirectory()
	os.chdir(folder.name)
	policy = open(os.path.join(lists, name[:-5] + ".yaml")).read()
	open("sotto.yaml", "w").write(policy)
	for table, (columns, rows) in ROWS[name[:-5]].items():
		with open(table + ".csv", "w", newline="") as f:
			w = csv.writer(f)
			w.writerow(columns.split())
			w.writerows(rows)
	subprocess.run([sotto, "seal"], check=True, capture_output=True)
	subprocess.run([sotto, "ledger", "create"], check=True, capture_output=True)
	complaints, questions = [], read_list(name)[::STRIDE]
	conversation, before = Conversation(sotto), released()
	for number, question in enumerate(questions):
		complaint = complaint_of(question, number, conversation, before)
		if question["mark"] == "+" and number % SAMPLE == 0:
			before = released()
		safe += question["mark"] in "+?"
		answered += question["mark"] == "+" and not complaint
		if complaint:
			complaints.append(f"# line {question['line']}: {question['sql'][:150]}: {complaint}")
	if conversation.end() not in (0, 1):
		complaints.append("# the conversation did not end as it should")
	tests += 1
	accepted = sum(q["mark"] == "+" for q in questions)
	print(f"{'not ok' if complaints else 'ok'} {tests} - {name[:-5]}: {accepted} are answered, {len(questions) - accepted} refused")
	print("\n".join(complaints), end="\n" if complaints else "")
	os.chdir("/")
tests += 1
print(f"{'ok' if answered >= 0.85 * safe else 'not ok'} {tests} - of {safe} safe questions {answered} are answered")
print(f"1..{tests}")
