-- k-anonymity, l-diversity and t-closeness of a table, view or query result that has a name.
--
--   FROM sdc_k_anonymity('staff', ['sex', 'age'])
--   FROM sdc_l_diversity('staff', ['sex', 'age'], 'salary')
--   FROM sdc_t_closeness('staff', ['sex', 'age'], 'salary', ordered := true)
--   FROM sdc_classes('staff', ['sex', 'age'])
--
-- The definitions, papers and fields are those of sdcdb.measures.anonymity; tests hold the two against each other.
-- A missing quasi-identifier is a value of its own, as GROUP BY has it; a record with a missing confidential value is
-- left out of l-diversity and t-closeness.
-- TEMP: nothing is written into the user's database. A temporary macro belongs to one connection or cursor.
--
-- Casts to DOUBLE and the word ASC are there because a session may SET integer_division or default_order.
--
-- Names arrive as data and become SQL text here and nowhere else: column names as quoted identifiers, the table
-- name as a string literal for query_table. Inside the text only positions are named (`AS p(class, value, n)`), so
-- that a user's column may be called n, class or records.

-- NaN is a missing value like NULL. typeof is known when the query is bound: other columns than floats pay nothing.
CREATE OR REPLACE TEMP MACRO _sdc_value(v) AS
    CASE WHEN typeof(v) IN ('FLOAT', 'DOUBLE') AND isnan(TRY_CAST(v AS DOUBLE)) THEN NULL ELSE v END;

-- ['sex', 'full name'] -> "sex", "full name", with SQL text before and after each
CREATE OR REPLACE TEMP MACRO _sdc_listed(cols, before, after) AS CASE
    WHEN cols IS NULL OR len(cols) = 0
    THEN error('the list of columns is empty: name at least one, as in [''sex'', ''age'']')
    WHEN len(list_filter(cols, lambda c: c IS NULL)) > 0 THEN error('the list of columns holds a NULL: give names only')
    ELSE array_to_string(list_transform(cols, lambda c: before || '"' || replace(c, '"', '""') || '"' || after), ', ')
END;
CREATE OR REPLACE TEMP MACRO _sdc_names(cols) AS _sdc_listed(cols, '', '');
CREATE OR REPLACE TEMP MACRO _sdc_values(cols) AS _sdc_listed(cols, '_sdc_value(', ')');

-- 'main.staff' -> query_table('main.staff'), which takes what FROM takes: schemas, databases, "quoted" parts, views
CREATE OR REPLACE TEMP MACRO _sdc_from(tbl) AS CASE
    WHEN tbl IS NULL THEN error('the table is NULL: give its name, as in ''staff'' or ''main.staff''')::VARCHAR
    ELSE ' FROM query_table(''' || replace(tbl::VARCHAR, '''', '''''') || ''') '
END;

-- One row per equivalence class: its number of records.
CREATE OR REPLACE TEMP MACRO _sdc_class_sizes(tbl, cols) AS TABLE
FROM query(
    'FROM (SELECT count(*)' || _sdc_from(tbl) || 'GROUP BY ' || _sdc_values(cols) || ') AS c(n)'
);

-- One row per equivalence class and confidential value in it: number of the class, value, number of records.
CREATE OR REPLACE TEMP MACRO _sdc_class_values(tbl, cols, confidential) AS TABLE
FROM query(
    'FROM (SELECT dense_rank() OVER (ORDER BY ' || _sdc_values(cols) || '), ' || _sdc_values([confidential])
    || ', count(*)' || _sdc_from(tbl) || 'GROUP BY ' || _sdc_values(list_append(cols, confidential))
    || ') AS p(class, value, n)'
);

-- Each class: the columns themselves and `records` (`records_1` where the table has a column of that name).
-- ORDER BY records shows the ones at risk first.
CREATE OR REPLACE TEMP MACRO sdc_classes(tbl, cols) AS TABLE
FROM query(
    'FROM (SELECT ' || _sdc_values(cols) || ', count(*)' || _sdc_from(tbl) || 'GROUP BY ' || _sdc_values(cols)
    || ') AS c(' || _sdc_names(cols) || ', records)'
);

CREATE OR REPLACE TEMP MACRO sdc_k_anonymity(tbl, cols) AS TABLE
SELECT
    coalesce(sum(n), 0)::BIGINT AS records,
    count(*) AS classes,
    min(n) AS k,
    count(*) FILTER (n = 1) AS unique_records
FROM _sdc_class_sizes(tbl, cols);

CREATE OR REPLACE TEMP MACRO sdc_l_diversity(tbl, cols, confidential) AS TABLE
SELECT
    coalesce(sum(size), 0)::BIGINT AS records,
    count(*) AS classes,
    min(different) AS l_distinct,
    min(2 ** bits) AS l_entropy,
    max(most::DOUBLE / size) AS largest_share
FROM (
    SELECT
        sum(n) AS size,
        count(*) AS different,
        max(n) AS most,
        log2(sum(n)) - sum(n * log2(n)) / sum(n) AS bits
    FROM _sdc_class_values(tbl, cols, confidential)
    WHERE value IS NOT NULL
    GROUP BY class
);

-- Earth Mover's Distance without a row per class and table value. Counting in records, let F(s) be the table's
-- cumulative count at value rank s and A(s) = F(1) + ... + F(s). Between two of its own values a class's cumulative
-- share is constant; scaled to the table's records it is the level y of the run of ranks [from_rank, to_rank). F
-- never falls, so F < y left of one rank p of the run and F >= y from there on, and the run adds
--     sum |y - F(s)| = y (2 p - from_rank - to_rank) + A(from_rank - 1) + A(to_rank - 1) - 2 A(p - 1).
-- p comes from one ASOF join. Ranks before the class's first value have level 0 and add A(first - 1).
CREATE OR REPLACE TEMP MACRO sdc_t_closeness(tbl, cols, confidential, ordered := true) AS TABLE
WITH _sdc_pairs AS MATERIALIZED (
    SELECT class, value, n FROM _sdc_class_values(tbl, cols, confidential) WHERE value IS NOT NULL
), _sdc_ranks AS MATERIALIZED (
    SELECT value, n, rank, f, sum(f) OVER (ORDER BY rank ASC) - f AS a
    FROM (
        SELECT value, n, row_number() OVER up AS rank, (sum(n) OVER up)::DOUBLE AS f
        FROM (SELECT value, sum(n)::DOUBLE AS n FROM _sdc_pairs GROUP BY value)
        WINDOW up AS (ORDER BY value ASC)
    )
), _sdc_table AS MATERIALIZED (
    SELECT coalesce(max(rank), 0) AS m, max(f) AS total, sum(f) AS area FROM _sdc_ranks
), _sdc_runs AS (
    SELECT
        p.class,
        r.rank AS from_rank,
        coalesce(lead(r.rank) OVER run, t.m + 1) AS to_rank,
        r.a AS from_area,
        coalesce(lead(r.a) OVER run, t.area) AS to_area,
        (sum(p.n) OVER (PARTITION BY p.class))::DOUBLE AS size,
        least(t.total, sum(p.n) OVER run / size * t.total) AS y
    FROM _sdc_pairs AS p JOIN _sdc_ranks AS r ON p.value = r.value CROSS JOIN _sdc_table AS t
    WHERE ordered
    WINDOW run AS (PARTITION BY p.class ORDER BY r.rank ASC)
), _sdc_distances AS (
    SELECT
        class,
        any_value(size) AS size,
        (
            min(from_area) + sum(
                y * (2 * greatest(from_rank, least(to_rank, p.rank)) - from_rank - to_rank)
                + from_area + to_area - 2 * greatest(from_area, least(to_area, p.a))
            )
        ) / any_value(total * greatest(m - 1, 1)) AS t
    FROM _sdc_runs ASOF JOIN _sdc_ranks AS p ON y <= p.f CROSS JOIN _sdc_table
    GROUP BY class
    UNION ALL
    SELECT class, size, (sum(abs(n / size - share)) + 1 - sum(share)) / 2
    FROM (
        SELECT p.class, p.n, r.n / t.total AS share, (sum(p.n) OVER (PARTITION BY p.class))::DOUBLE AS size
        FROM _sdc_pairs AS p JOIN _sdc_ranks AS r ON p.value = r.value CROSS JOIN _sdc_table AS t
        WHERE NOT ordered
    )
    GROUP BY class, size
)
SELECT
    coalesce(sum(size), 0)::BIGINT AS records,
    count(*) AS classes,
    CASE WHEN ordered IS NULL THEN error('ordered is NULL: say true or false') ELSE max(greatest(t, 0)) END AS t,
    sum(greatest(t, 0) * size) / sum(size) AS mean_t
FROM _sdc_distances;
