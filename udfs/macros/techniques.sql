-- Perturbing a table from the SQL prompt, with the techniques that need no fitting.
--
--   FROM sdc_sample('staff', size := 100, key := 'id', seed := 7)
--   FROM sdc_normal_noise('staff', 'salary', sd := 1000, key := 'id', seed := 7, low := 0, high := 200000)
--   FROM sdc_pram('staff', 'dept', p := 0.8, key := 'id', seed := 7)
--   FROM sdc_ean('staff', 'illness', categories := [['flu', 'cold'], ['asthma']], key := 'id', seed := 7)
--
-- All columns of the table are returned; one is perturbed. A record's draws are those of sdcdb.engines.duckdb, cut
-- from sha256('<seed>:<block>:' || key): the same seed and key give the same value at every read. The seed is all that
-- keeps the noise from being taken off again: whoever knows it, or guesses it, has the original values. A block names
-- the method, its parameters and the column, for noise of two sizes from one draw would give the value away. It does
-- not name the table, so that a view on part of the table has the noise of the whole.
--
-- Names arrive as data and become SQL text by _sdc_names, _sdc_from (anonymity.sql) and _sdc_text.

-- o'neill -> 'o''neill'
CREATE OR REPLACE TEMP MACRO _sdc_text(v) AS '''' || replace(v::VARCHAR, '''', '''''') || '''';
CREATE OR REPLACE TEMP MACRO _sdc_number(v) AS
    coalesce('CAST(' || _sdc_text(v::DOUBLE) || ' AS DOUBLE)', 'NULL::DOUBLE');

-- The digest of (seed, block, record key). A record without a key has no draws: it must fail, not become NULL.
CREATE OR REPLACE TEMP MACRO _sdc_digest(block, key, seed) AS CASE
    -- Without the casts, DuckDB 1.5 takes an error for a NULL.
    WHEN key IS NULL
    THEN error('key is missing: name a column that is unique and never reused, as in key := ''id''')::VARCHAR
    WHEN seed IS NULL
    THEN error('seed is missing: give a number or a text, as in seed := 7; keep it to yourself')::VARCHAR
    ELSE 'sha256(' || _sdc_text(seed::VARCHAR || ':' || block || ':') || ' || coalesce(CAST(' || _sdc_names([key])
        || ' AS VARCHAR), error(' || _sdc_text('the key ' || key || ' is NULL in a record: noise needs a key for each')
        || ')))'
END;

-- A uniform whole number from 0 to 2^32 - 1: lane 0 to 3 of a digest's first half.
CREATE OR REPLACE TEMP MACRO _sdc_lane(digest, lane) AS
    ((unhex(substr(digest, 1, 32))::BIT::UHUGEINT >> (32 * lane)::UHUGEINT) & 4294967295)::BIGINT;

-- A standard normal number from two lanes (Box and Muller), as sdcdb.engines.expressions.Row.normal.
CREATE OR REPLACE TEMP MACRO _sdc_normal(digest) AS
    sqrt(-2e0 * ln((_sdc_lane(digest, 0) + 1)::DOUBLE * 2.3283064365386963e-10))
    * cos(6.283185307179586e0 * (_sdc_lane(digest, 1)::DOUBLE * 2.3283064365386963e-10));

-- A table with one more column, "sdc digest".
CREATE OR REPLACE TEMP MACRO _sdc_drawn(tbl, block, key, seed) AS
    ' FROM (SELECT *, ' || _sdc_digest(block, key, seed) || ' AS "sdc digest"' || _sdc_from(tbl) || ') AS t';

-- Exactly `size` records, or that share of them when size is below 1: those with the smallest digests.
CREATE OR REPLACE TEMP MACRO sdc_sample(tbl, size := NULL, key := NULL, seed := NULL) AS TABLE
FROM query(CASE
    WHEN size IS NULL OR NOT (size >= 0 AND (size < 1 OR size = floor(size)) AND size < 1e15)
    THEN error('size must be a whole number of records, or a share below 1: size := 100, or size := 0.1')
    ELSE 'SELECT * EXCLUDE ("sdc digest")' || _sdc_drawn(tbl, 'sample', key, seed)
        || ' ORDER BY "sdc digest" ASC LIMIT (SELECT CASE WHEN ' || _sdc_number(size)
        || ' > count(*) THEN error(''a sample of ' || size::BIGINT
        || ' from '' || count(*) || '' records: ask for fewer, or for a share below 1'') ELSE '
        || CASE WHEN size < 1 THEN 'round(' || _sdc_number(size) || ' * count(*))' ELSE _sdc_number(size) END
        || '::BIGINT END' || _sdc_from(tbl) || ')'
END);

-- The grid that numbers of a type lie on, and what the type can hold (DOUBLE cannot tell the last 1023 of 2^63 apart).
CREATE OR REPLACE TEMP MACRO _sdc_step(kind) AS CASE
    WHEN kind IN ('FLOAT', 'DOUBLE') THEN NULL
    WHEN starts_with(kind, 'DECIMAL(') THEN 10e0 ** -TRY_CAST(regexp_extract(kind, ',(\d+)', 1) AS INTEGER)
    WHEN regexp_full_match(kind, 'U?(TINYINT|SMALLINT|INTEGER|BIGINT)|HUGEINT') THEN 1e0
    ELSE error('a column of ' || kind || ': this method is for numbers')
END;
CREATE OR REPLACE TEMP MACRO _sdc_most(kind) AS CASE
    WHEN starts_with(kind, 'DECIMAL(')
    THEN _sdc_step(kind)
        * least(10e0 ** TRY_CAST(regexp_extract(kind, '\((\d+)', 1) AS INTEGER) - 1, 9223372036854774784e0)
    ELSE coalesce(
        map {
            'TINYINT': 127e0, 'SMALLINT': 32767e0, 'INTEGER': 2147483647e0,
            'UTINYINT': 255e0, 'USMALLINT': 65535e0, 'UINTEGER': 4294967295e0
        }[kind],
        9223372036854774784e0
    )
END;
CREATE OR REPLACE TEMP MACRO _sdc_least(kind) AS CASE
    WHEN kind IN ('UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT') THEN 0e0
    WHEN starts_with(kind, 'DECIMAL(') THEN -_sdc_most(kind)
    ELSE -_sdc_most(kind) - 1
END;

-- Bring a noisy number back onto the grid and into [low, high], going round (thesis 2007, 5.2); without ends, into
-- the type. As sdcdb.techniques.families.numbers.NumberShape.fit.
CREATE OR REPLACE TEMP MACRO _sdc_turned(steps, size) AS steps - floor(steps / size) * size;
CREATE OR REPLACE TEMP MACRO _sdc_on_grid(noisy, low, step) AS floor((noisy - low) / step + 0.5e0);
CREATE OR REPLACE TEMP MACRO _sdc_shaped(noisy, low, high, kind) AS CASE
    WHEN _sdc_step(kind) IS NULL AND low IS NULL THEN noisy
    WHEN _sdc_step(kind) IS NULL THEN low + _sdc_turned(noisy - low, high - low)
    WHEN low IS NULL
    THEN _sdc_on_grid(least(greatest(noisy, _sdc_least(kind)), _sdc_most(kind)), 0e0, _sdc_step(kind)) * _sdc_step(kind)
    ELSE low + _sdc_step(kind) * _sdc_turned(
        _sdc_on_grid(noisy, low, _sdc_step(kind)), floor((high - low) / _sdc_step(kind) + 1e-6) + 1
    )
END;

CREATE OR REPLACE TEMP MACRO sdc_normal_noise(
    tbl, col, sd := NULL, key := NULL, seed := NULL, low := NULL, high := NULL
) AS TABLE
FROM query(CASE
    WHEN sd IS NULL OR NOT (sd::DOUBLE >= 0 AND isfinite(sd::DOUBLE))
    THEN error('sd must be a number from 0 up, in the unit of the column, as in sd := 1000')
    WHEN (low IS NULL) <> (high IS NULL) OR NOT coalesce(low::DOUBLE < high::DOUBLE, true)
    THEN error('low and high go together, low below high: low := 0, high := 200000, or leave both out')
    ELSE 'SELECT * EXCLUDE ("sdc digest", "sdc noisy") REPLACE (CASE WHEN ' || _sdc_names([col])
        || ' IS NOT NULL THEN cast_to_type(_sdc_shaped("sdc noisy", ' || _sdc_number(low) || ', ' || _sdc_number(high)
        || ', typeof(' || _sdc_names([col]) || ')), ' || _sdc_names([col]) || ') END AS ' || _sdc_names([col])
        || ') FROM (SELECT *, TRY_CAST(' || _sdc_names([col]) || ' AS DOUBLE) + ' || _sdc_number(sd)
        || ' * _sdc_normal("sdc digest") AS "sdc noisy"'
        || _sdc_drawn(
            tbl, concat_ws(' ', 'normal_noise', sd::DOUBLE, low::DOUBLE, high::DOUBLE) || ':' || lower(col), key, seed
        ) || ')'
END);

-- Keep a value with probability p, else take another one of the column, all equally likely (Warner 1965). In the sorted
-- values, the place of the true one is jumped over: it need not be looked up.
CREATE OR REPLACE TEMP MACRO _sdc_another(v, vals, place) AS
    CASE WHEN vals[place] < v THEN vals[place] ELSE vals[place + 1] END;
CREATE OR REPLACE TEMP MACRO sdc_pram(tbl, col, p := NULL, key := NULL, seed := NULL) AS TABLE
FROM query(CASE
    WHEN p IS NULL OR NOT (p >= 0 AND p <= 1) THEN error('p must be a probability from 0 to 1, as in p := 0.8')
    ELSE 'SELECT t.* EXCLUDE ("sdc digest") REPLACE (CASE WHEN t.' || _sdc_names([col])
        || ' IS NULL OR len("sdc values") < 2 OR _sdc_lane("sdc digest", 0) < ' || _sdc_number(p)
        || ' * 4294967296 THEN t.' || _sdc_names([col]) || ' ELSE _sdc_another(t.' || _sdc_names([col])
        || ', "sdc values", 1 + ((_sdc_lane("sdc digest", 1) * (len("sdc values") - 1)) >> 32)) END AS '
        || _sdc_names([col]) || ')' || _sdc_drawn(tbl, 'pram ' || p::DOUBLE || ':' || lower(col), key, seed)
        || ', (SELECT list_sort(list(DISTINCT ' || _sdc_names([col]) || ') FILTER (' || _sdc_names([col])
        || ' IS NOT NULL), ''ASC'') AS "sdc values"' || _sdc_from(tbl) || ')'
END);

-- EAN (2017), Algorithms 2 and 3: the true value among one of every other category, in an order drawn without regard
-- to the value. Each category has a digest of its own: lane 0 picks its value, lane 1 its place.
CREATE OR REPLACE TEMP MACRO _sdc_texts(vals) AS
    '[' || array_to_string(list_transform(vals, lambda v: _sdc_text(v)), ', ') || ']';
CREATE OR REPLACE TEMP MACRO _sdc_ean_item(col, vals, digest) AS
    'struct_pack(place := _sdc_lane(' || digest || ', 1), v := CASE WHEN list_contains(' || _sdc_texts(vals)
    || ', CAST(' || _sdc_names([col]) || ' AS VARCHAR)) THEN CAST(' || _sdc_names([col]) || ' AS VARCHAR) ELSE '
    || _sdc_texts(vals) || '[1 + ((_sdc_lane(' || digest || ', 0) * ' || len(vals) || ') >> 32)] END)';
CREATE OR REPLACE TEMP MACRO sdc_ean(tbl, col, categories := NULL, key := NULL, seed := NULL) AS TABLE
FROM query(CASE
    WHEN coalesce(len(categories), 0) < 2 OR len(list_filter(categories, lambda c: coalesce(len(c), 0) = 0)) > 0
    THEN error('categories must be two or more lists of values: categories := [[''flu'', ''cold''], [''asthma'']]')
    WHEN len(flatten(categories)) <> list_unique(flatten(categories))
    THEN error('categories: each value belongs in one category, once, and NULL in none')
    ELSE 'SELECT * EXCLUDE (' || array_to_string(
            list_transform(range(1, len(categories) + 1), lambda i: '"sdc digest ' || i || '"'), ', '
        ) || ') REPLACE (CASE WHEN ' || _sdc_names([col]) || ' IS NULL THEN NULL WHEN NOT list_contains('
        || _sdc_texts(flatten(categories)) || ', CAST(' || _sdc_names([col]) || ' AS VARCHAR)) THEN error('
        || _sdc_text(col || ' holds a value that is in no category: ') || ' || CAST(' || _sdc_names([col])
        || ' AS VARCHAR)) ELSE cast_to_type(list_transform(list_sort([' || array_to_string(
            list_transform(categories, lambda c, i: _sdc_ean_item(col, c, '"sdc digest ' || i || '"')), ', '
        ) || '], ''ASC''), lambda sdc_item: sdc_item.v), [' || _sdc_names([col]) || ']) END AS ' || _sdc_names([col])
        || ') FROM (SELECT *, ' || array_to_string(
            list_transform(
                range(1, len(categories) + 1),
                lambda i: _sdc_digest('ean:' || lower(col) || ':' || i, key, seed) || ' AS "sdc digest ' || i || '"'
            ), ', '
        ) || _sdc_from(tbl) || ')'
END);
