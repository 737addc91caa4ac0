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
        }
        System.out.println("ok");
    }
}
