-- Sample and population uniqueness: how likely a match on the known columns is the right person.
--
--   FROM sdc_uniqueness('staff', ['sex', 'age'], fraction := 0.1)
--   FROM sdc_population_uniqueness('sample', 'population', ['sex', 'age'])
--
-- The definitions, papers and fields are those of sdcdb.measures.unique_records; tests hold the two against each other.
-- Names are turned into SQL by _sdc_values and _sdc_from of anonymity.sql.

-- Skinner and Elliot's (2002) theta from the numbers of classes with one and with two records.
CREATE OR REPLACE TEMP MACRO sdc_uniqueness(tbl, cols, fraction := 1.0) AS TABLE
SELECT
    records,
    classes,
    sample_uniques,
    sample_pairs,
    pi * sample_uniques / nullif(pi * sample_uniques + 2 * (1 - pi) * sample_pairs, 0) AS theta,
    coalesce(sample_uniques * theta, 0) AS expected_correct_matches
FROM (
    SELECT
        coalesce(sum(n), 0)::BIGINT AS records,
        count(*) AS classes,
        count(*) FILTER (n = 1) AS sample_uniques,
        count(*) FILTER (n = 2) AS sample_pairs,
        CASE
            WHEN fraction > 0 AND fraction <= 1 THEN fraction::DOUBLE
            ELSE error('fraction must be above 0 and at most 1: give records in the sample / records in the population')
        END AS pi
    FROM _sdc_class_sizes(tbl, cols)
);

-- ['sex', 'age'] -> q1, q2
CREATE OR REPLACE TEMP MACRO _sdc_positions(cols) AS
    array_to_string(list_transform(range(1, len(cols) + 1), lambda i: 'q' || i), ', ');

-- One row per class: its records in the first table and in the second. Adding up a UNION ALL matches NULL with NULL,
-- as GROUP BY does.
CREATE OR REPLACE TEMP MACRO _sdc_joint_class_sizes(first_tbl, second_tbl, cols) AS TABLE
FROM query(
    'FROM (SELECT sum(n1), sum(n2) FROM ('
    || 'SELECT ' || _sdc_values(cols) || ', count(*), 0' || _sdc_from(first_tbl) || 'GROUP BY ' || _sdc_values(cols)
    || ' UNION ALL '
    || 'SELECT ' || _sdc_values(cols) || ', 0, count(*)' || _sdc_from(second_tbl) || 'GROUP BY ' || _sdc_values(cols)
    || ') AS u(' || _sdc_positions(cols) || ', n1, n2) GROUP BY ' || _sdc_positions(cols) || ') AS c(n1, n2)'
);

-- SUPU: records that are unique in the sample and in the population.
CREATE OR REPLACE TEMP MACRO sdc_population_uniqueness(sample_tbl, population_tbl, cols) AS TABLE
SELECT
    records,
    sample_uniques,
    population_uniques_in_sample,
    population_uniques_in_sample::DOUBLE / nullif(sample_uniques, 0) AS share
FROM (
    SELECT
        coalesce(sum(n1), 0)::BIGINT AS records,
        count(*) FILTER (n1 = 1) AS sample_uniques,
        count(*) FILTER (n1 = 1 AND n2 = 1) AS population_uniques_in_sample
    FROM _sdc_joint_class_sizes(sample_tbl, population_tbl, cols)
);
