# R: a question, parameters where the driver has them, tables, a denial.
args <- commandArgs(trailingOnly = TRUE)
package <- if (requireNamespace("RPostgres", quietly = TRUE)) "RPostgres" else "RPostgreSQL"
cat(package, as.character(packageVersion(package)), "\n")
driver <- if (package == "RPostgres") RPostgres::Postgres() else RPostgreSQL::PostgreSQL()
con <- DBI::dbConnect(driver, host = args[1], port = as.integer(args[2]), user = args[3], password = args[4], dbname = "staff")
means <- DBI::dbGetQuery(con, "SELECT sex, AVG(salary) AS mean FROM staff GROUP BY sex ORDER BY sex")
stopifnot(nrow(means) == 2, means$mean[1] > 0)
if (package == "RPostgres") {
  older <- DBI::dbGetQuery(con, "SELECT COUNT(*) AS n FROM staff WHERE age > $1", params = list(30L))
  stopifnot(older$n > 0)
}
stopifnot("staff" %in% DBI::dbListTables(con), "salary" %in% DBI::dbListFields(con, "staff"))
refused <- tryCatch(DBI::dbGetQuery(con, "SELECT name FROM staff"), error = function(e) "refused", warning = function(w) "refused")
stopifnot(identical(refused, "refused"))
DBI::dbDisconnect(con)
cat("ok\n")
