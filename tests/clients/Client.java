// pgjdbc against sotto serve: java Client.java PORT NAME KEY DATABASE
import java.sql.*;
import java.util.*;

public class Client {
	static void check(boolean ok, String what) {
		if (ok)
			return;
		System.out.println("failed: " + what);
		System.exit(1);
	}

	static List<String> all(ResultSet r, String... columns) throws SQLException {
		List<String> rows = new ArrayList<>();
		while (r.next()) {
			StringBuilder row = new StringBuilder();
			for (String c : columns)
				row.append(r.getString(c)).append(' ');
			rows.add(row.toString().trim());
		}
		return rows;
	}

	public static void main(String[] a) throws Exception {
		String url = "jdbc:postgresql://127.0.0.1:" + a[0] + "/" + a[3] + "?options=-c%20sotto.epsilon=0.1";
		try (Connection c = DriverManager.getConnection(url, a[1], a[2])) {
			metadata(c.getMetaData(), a[3]);
			prepared(c);
			portals(c);
			c.setReadOnly(true);
			check(c.isValid(5) && c.getSchema().equals("public") && c.getCatalog().equals(a[3]), "the connection");
		}
		System.out.println("good");
	}

	static void metadata(DatabaseMetaData m, String database) throws SQLException {
		check(m.getDatabaseProductName().equals("PostgreSQL"), "product");
		check(all(m.getTables(null, "public", "%", new String[] {"TABLE", "VIEW"}), "TABLE_NAME", "TABLE_TYPE", "REMARKS")
			.equals(List.of("cities TABLE public", "patients TABLE private: answers are noisy",
				"visits TABLE private: answers are noisy")), "tables");
		check(all(m.getTables(null, null, "pg\\_class", null), "TABLE_SCHEM", "TABLE_TYPE")
			.equals(List.of("pg_catalog SYSTEM TABLE")), "the catalog's own tables");
		check(all(m.getColumns(null, "public", "patients", "a%"), "COLUMN_NAME", "TYPE_NAME", "ORDINAL_POSITION", "REMARKS")
			.equals(List.of("age int8 2 from 0 to 110")), "columns");
		check(all(m.getSchemas(), "TABLE_SCHEM").equals(List.of("information_schema", "pg_catalog", "public")), "schemas");
		check(all(m.getCatalogs(), "TABLE_CAT").equals(List.of(database)), "catalogs");
		for (ResultSet r : new ResultSet[] {m.getPrimaryKeys(null, "public", "patients"), m.getImportedKeys(null, "public", "patients"),
			m.getExportedKeys(null, "public", "patients"), m.getIndexInfo(null, "public", "patients", false, false),
			m.getProcedures(null, "public", "%"), m.getFunctions(null, "public", "%"), m.getUDTs(null, "public", "%", null),
			m.getBestRowIdentifier(null, "public", "patients", 0, false)})
			check(!r.next(), "no keys, indexes or functions");
		check(all(m.getTypeInfo(), "TYPE_NAME").contains("int8"), "types");
		check(all(m.getTablePrivileges(null, "public", "patients"), "PRIVILEGE").equals(List.of("SELECT")), "privileges");
		check(m.getSQLKeywords().contains("ilike") && m.getMaxColumnNameLength() == 63, "words and lengths");
	}

	static void prepared(Connection c) throws SQLException {
		long first = 0;
		try (PreparedStatement p = c.prepareStatement("SELECT COUNT(*) AS n FROM patients WHERE age > ? AND city = ? AND smoker = ?")) {
			/* From the fifth time on pgjdbc prepares on the server and asks for binary. */
			for (int i = 0; i < 8; i++) {
				p.setInt(1, 30);
				p.setString(2, "Padova");
				p.setBoolean(3, true);
				ResultSet r = p.executeQuery();
				check(r.next() && r.getMetaData().getColumnTypeName(1).equals("int8"), "a count");
				check(i == 0 || r.getLong("n") == first, "the same each time");
				first = r.getLong("n");
				check(p.getWarnings() != null || r.getWarnings() != null || i > 0, "its price is a warning");
			}
			check(p.getParameterMetaData().getParameterCount() == 3, "parameters are described");
			check(p.getMetaData().getColumnName(1).equals("n"), "and columns, before it runs");
		}
		try (PreparedStatement p = c.prepareStatement("SELECT COUNT(*) FROM visits WHERE day >= ? AND day < ?")) {
			p.setDate(1, java.sql.Date.valueOf("2025-01-02"));
			p.setTimestamp(2, Timestamp.valueOf("2030-01-01 10:11:12.5"));
			check(p.executeQuery().next(), "dates and moments");
		}
		try (PreparedStatement p = c.prepareStatement("SELECT AVG(weight_kg) FROM patients WHERE weight_kg > ? AND income < ?")) {
			p.setBigDecimal(1, new java.math.BigDecimal("12.50"));
			p.setDouble(2, 1e6);
			try {
				p.executeQuery();
				check(false, "an average without bounds is refused");
			} catch (SQLException e) {
				check(e.getMessage().contains("bounds") && !e.getMessage().contains("--"), e.getMessage());
			}
		}
	}

	/* Rows come ten at a time from one portal. */
	static void portals(Connection c) throws SQLException {
		c.setAutoCommit(false);
		try (Statement s = c.createStatement()) {
			s.setFetchSize(2);
			int n = 0;
			for (ResultSet r = s.executeQuery("SELECT city, region FROM cities ORDER BY city"); r.next(); n++)
				check(r.getString(1) != null, "a city");
			check(n > 5, "all rows come, two at a time");
		}
		c.rollback();
		c.setAutoCommit(true);
	}
}
