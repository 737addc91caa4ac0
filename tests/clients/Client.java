// pgjdbc: a question, a denial, a prepared statement, and what DatabaseMetaData tells a tool.
import java.sql.*;
import java.util.*;

public class Client {
    static void check(boolean fine, String what) {
        if (!fine) throw new IllegalStateException(what);
    }

    static List<String> column(ResultSet rows, String name) throws SQLException {
        List<String> found = new ArrayList<>();
        while (rows.next()) found.add(rows.getString(name));
        return found;
    }

    public static void main(String[] args) throws Exception {
        Class.forName("org.postgresql.Driver");
        String url = "jdbc:postgresql://" + args[0] + ":" + args[1] + "/staff?sslmode=disable";
        try (Connection con = DriverManager.getConnection(url, args[2], args[3])) {
            try (Statement s = con.createStatement(); ResultSet rows = s.executeQuery("SELECT COUNT(*) FROM staff")) {
                check(rows.next() && rows.getLong(1) > 0, "count");
            }
            for (int round = 0; round < 8; round++) { // from the fifth on, the driver prepares on the server
                try (PreparedStatement s = con.prepareStatement(
                        "SELECT sex, AVG(salary) FROM staff WHERE age > ? GROUP BY sex ORDER BY sex")) {
                    s.setInt(1, 30);
                    try (ResultSet rows = s.executeQuery()) {
                        check(rows.next() && rows.getString(1).equals("F") && rows.getDouble(2) > 0, "average");
                    }
                }
            }
            try (Statement s = con.createStatement()) {
                s.executeQuery("SELECT name FROM staff");
                check(false, "an identifier was answered");
            } catch (SQLException refused) {
                check(refused.getSQLState().equals("0A000"), refused.getSQLState());
            }
            con.setAutoCommit(false);
            try (Statement s = con.createStatement()) {
                s.setFetchSize(10);
                ResultSet rows = s.executeQuery("SELECT n FROM range(95) t(n)");
                check(column(rows, "n").size() == 95, "portions");
            }
            con.commit();
            con.setAutoCommit(true);
            for (int round = 0; round < 7; round++) { // first as text, then in binary
                String sql = "SELECT ?::int4, ?::int8, ?::float8, ?::numeric, ?::text, ?::date, ?::timestamp, ?::bool, ?::bytea, ?::uuid, ?::int4[]";
                try (PreparedStatement s = con.prepareStatement(sql)) {
                    UUID id = UUID.fromString("00000000-0000-0000-0000-000000000007");
                    Timestamp when = Timestamp.valueOf("2024-01-02 03:04:05.006");
                    s.setInt(1, 7);
                    s.setLong(2, 1L << 40);
                    s.setDouble(3, 2.5);
                    s.setBigDecimal(4, new java.math.BigDecimal("12.340"));
                    s.setString(5, "naïve");
                    s.setDate(6, java.sql.Date.valueOf("2024-02-29"));
                    s.setTimestamp(7, when);
                    s.setBoolean(8, true);
                    s.setBytes(9, new byte[] {0, -1});
                    s.setObject(10, id);
                    s.setArray(11, con.createArrayOf("int4", new Integer[] {1, null, 3}));
                    try (ResultSet r = s.executeQuery()) {
                        check(r.next(), "a row");
                        check(r.getInt(1) == 7 && r.getLong(2) == 1L << 40 && r.getDouble(3) == 2.5, "numbers");
                        check(r.getBigDecimal(4).compareTo(new java.math.BigDecimal("12.34")) == 0, "numeric");
                        check(r.getString(5).equals("naïve") && r.getBoolean(8), "text");
                        check(r.getDate(6).toString().equals("2024-02-29") && r.getTimestamp(7).equals(when), "dates");
                        check(Arrays.equals(r.getBytes(9), new byte[] {0, -1}) && r.getObject(10).equals(id), "bytes");
                        check(Arrays.equals((Object[]) r.getArray(11).getArray(), new Integer[] {1, null, 3}), "list");
                    }
                }
            }
            DatabaseMetaData meta = con.getMetaData();
            check(meta.getDatabaseProductName().equals("PostgreSQL"), "product");
            check(column(meta.getSchemas(), "TABLE_SCHEM").contains("main"), "schemas");
            check(column(meta.getCatalogs(), "TABLE_CAT").contains("staff"), "catalogs");
            check(column(meta.getTables(null, null, "%", new String[] {"TABLE", "VIEW"}), "TABLE_NAME").contains("staff"), "tables");
            check(column(meta.getColumns(null, null, "staff", "%"), "COLUMN_NAME").contains("salary"), "columns");
            check(column(meta.getColumns(null, null, "staff", "salary"), "REMARKS").get(0).startsWith("confidential"), "remarks");
            check(column(meta.getPrimaryKeys(null, "main", "staff"), "COLUMN_NAME").isEmpty(), "keys");
            check(column(meta.getImportedKeys(null, "main", "staff"), "PKTABLE_NAME").isEmpty(), "foreign keys");
            check(column(meta.getIndexInfo(null, "main", "staff", false, false), "INDEX_NAME").isEmpty(), "indexes");
            check(!column(meta.getTypeInfo(), "TYPE_NAME").isEmpty(), "types");
            column(meta.getFunctions(null, null, "%"), "FUNCTION_NAME");
            column(meta.getTablePrivileges(null, null, "staff"), "PRIVILEGE");
            column(meta.getTableTypes(), "TABLE_TYPE");
            check(column(meta.getExportedKeys(null, "main", "staff"), "PKTABLE_NAME").isEmpty(), "exported keys");
            check(column(meta.getCrossReference(null, "main", "staff", null, "main", "dept_dim"), "PKTABLE_NAME").isEmpty(), "references");
            check(column(meta.getProcedures(null, null, "%"), "PROCEDURE_NAME").isEmpty(), "procedures");
            column(meta.getUDTs(null, null, "%", null), "TYPE_NAME");
            column(meta.getBestRowIdentifier(null, "main", "staff", DatabaseMetaData.bestRowSession, true), "COLUMN_NAME");
            column(meta.getVersionColumns(null, "main", "staff"), "COLUMN_NAME");
            column(meta.getColumnPrivileges(null, "main", "staff", "%"), "PRIVILEGE");
            column(meta.getClientInfoProperties(), "NAME");
            column(meta.getFunctionColumns(null, null, "%", "%"), "COLUMN_NAME");
            column(meta.getProcedureColumns(null, null, "%", "%"), "COLUMN_NAME");
            check(meta.getMaxColumnNameLength() > 0 && meta.getSQLKeywords() != null, "limits and keywords");
        }
        System.out.println("ok");
    }
}
