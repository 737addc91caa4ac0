-- Information loss of EAN (Enhanced Additive Noise, 2017), which publishes a set of l values for each sensitive one.
--
--   SELECT sdc_sensitive_loss(3), sdc_record_loss(3, [0, 0, 0, 0, 0, 0, 0])
--   FROM sdc_ean_loss('published', 'occupation', ['age', 'sex'])
--
-- The equations and fields are those of sdcdb.measures.loss; tests hold the two against each other.
-- Names are turned into SQL by _sdc_names and _sdc_from of anonymity.sql.

-- EAN eq. (1)
CREATE OR REPLACE TEMP MACRO sdc_sensitive_loss(l) AS CASE
    WHEN l IS NULL THEN NULL
    WHEN l >= 1 AND l < 'inf'::DOUBLE THEN abs(l - 1)::DOUBLE / l
    ELSE error('l is the number of values published for a record: it must be at least 1')
END;

-- EAN eq. (2); quasi_losses is a list with the loss of each quasi-identifier
CREATE OR REPLACE TEMP MACRO sdc_record_loss(l, quasi_losses) AS CASE
    WHEN quasi_losses IS NULL THEN NULL
    WHEN len(list_filter(quasi_losses, lambda x: x IS NULL OR x < 0 OR x > 1)) > 0
    THEN error('the loss of a quasi-identifier is a share: give numbers from 0 to 1')
    ELSE (coalesce(list_sum(quasi_losses), 0) + sdc_sensitive_loss(l)) / (len(quasi_losses) + 1)
END;

-- A table as EAN publishes it: the sensitive column is a list of l values, the quasi-identifiers are exact (loss 0).
-- A record whose list is NULL is left out. array_length takes lists only, where len would measure a string.
CREATE OR REPLACE TEMP MACRO sdc_ean_loss(tbl, sensitive, cols) AS TABLE
SELECT
    count(*) AS records,
    min(n) AS min_l,
    avg(n) AS mean_l,
    avg(sdc_sensitive_loss(n)) AS mean_sensitive_loss,
    avg(sdc_sensitive_loss(n)) / (len(cols) + 1) AS mean_record_loss
FROM query(
    'FROM (SELECT array_length(' || _sdc_names([sensitive]) || ') FROM (SELECT ' || _sdc_names([sensitive]) || ', '
    || _sdc_names(cols) || _sdc_from(tbl) || ')) AS r(n)'
)
WHERE n IS NOT NULL;
