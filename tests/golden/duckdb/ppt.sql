-- ppt of word, {}
SELECT "t"."unbounded" AS "unbounded",
CAST(
  "p"."word values"[
    CAST((NOT "t"."word" IS NULL) AS BIGINT) * (
      ((t."sdc draw bits 0 0 16" * 5) >> 16) + 1 + CAST(
        (
          ((t."sdc draw bits 0 0 16" * 5) & 65535) >= "p"."word thresholds"[
            ((t."sdc draw bits 0 0 16" * 5) >> 16) + (
              (CAST(t."sdc once leaf word c31228da3a76" AS INT) * 5) + 1
            )
          ]
        ) AS BIGINT
      ) * "p"."word moves"[
        ((t."sdc draw bits 0 0 16" * 5) >> 16) + ((CAST(t."sdc once leaf word c31228da3a76" AS INT) * 5) + 1)
      ]
    )
  ] AS TEXT
) AS "word",
"t"."many words" AS "many words", "t"."one word" AS "one word", "t"."flag" AS "flag",
"t"."letter" AS "letter", "t"."day" AS "day", "t"."code" AS "code", "t"."untouched" AS "untouched"
FROM (
  SELECT "t".*,
  CASE
    WHEN "t"."whole" > 55 THEN CASE
      WHEN "t"."whole" <= 74 THEN 3
      ELSE CASE
        WHEN CAST("t"."unbounded" AS DOUBLE) <= 339.0e0 THEN 4
        ELSE CASE WHEN CAST("t"."real" AS DOUBLE) <= (-3.0983311681822725e0) THEN 5 ELSE 6 END
      END
    END
    ELSE CASE
      WHEN "t"."whole" <= 21 THEN CASE WHEN CAST("t"."unbounded" AS DOUBLE) <= 295.0e0 THEN 0 ELSE 1 END
      ELSE 2
    END
  END AS "sdc once leaf word c31228da3a76"
  FROM (
    SELECT "t".*, CAST(((t."sdc word bits 0 0") & 65535) AS INT) AS "sdc draw bits 0 0 16"
    FROM (
      SELECT "t".*,
      CAST(CAST(unhex(substr(t."sdc digest bits 0", 17, 16)) AS BIT) AS UBIGINT) AS "sdc word bits 0 0"
      FROM (
        SELECT "t".*, sha256('b4d2591ab9d81ba32310aed3adb86fcd:bits 0:' || t."sdc key") AS "sdc digest bits 0"
        FROM (
          SELECT "t".*,
          CASE
            WHEN t."key" IS NULL THEN error('a record has no key') ELSE CAST(t."key" AS VARCHAR)
          END AS "sdc key"
          FROM "a ""table"" ü" AS "t"
        ) AS "t"
      ) AS "t"
    ) AS "t"
  ) AS "t"
) AS "t"
CROSS JOIN "sdc"."lists of the view" AS "p"
