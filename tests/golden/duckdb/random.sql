-- random of word, code, {k1: 5, k2: 20}
SELECT "t"."unbounded" AS "unbounded",
CAST(
  "p"."word values"[
    ((t."sdc draw bits 0 0 16" * 5) >> 16) + 1 + CAST(
      (
        ((t."sdc draw bits 0 0 16" * 5) & 65535) >= "p"."word thresholds"[
          ((t."sdc draw bits 0 0 16" * 5) >> 16) + ((CAST(t."sdc code word values" AS INT) * 5) + 1)
        ]
      ) AS BIGINT
    ) * "p"."word moves"[
      ((t."sdc draw bits 0 0 16" * 5) >> 16) + ((CAST(t."sdc code word values" AS INT) * 5) + 1)
    ]
  ] AS TEXT
) AS "word",
"t"."many words" AS "many words", "t"."one word" AS "one word", "t"."flag" AS "flag",
"t"."letter" AS "letter", "t"."day" AS "day",
CAST(
  "p"."code values"[
    ((t."sdc draw bits 0 16 16" * 7) >> 16) + 1 + CAST(
      (
        ((t."sdc draw bits 0 16 16" * 7) & 65535) >= "p"."code thresholds"[
          ((t."sdc draw bits 0 16 16" * 7) >> 16) + ((CAST(t."sdc code code values" AS INT) * 7) + 1)
        ]
      ) AS BIGINT
    ) * "p"."code moves"[
      ((t."sdc draw bits 0 16 16" * 7) >> 16) + ((CAST(t."sdc code code values" AS INT) * 7) + 1)
    ]
  ] AS BIGINT
) AS "code",
"t"."untouched" AS "untouched"
FROM (
  SELECT "t".*, CAST(((t."sdc word bits 0 0") & 65535) AS INT) AS "sdc draw bits 0 0 16",
  CAST(((t."sdc word bits 0 0" >> 16) & 65535) AS INT) AS "sdc draw bits 0 16 16",
  CAST(
    enum_code(TRY_CAST(CAST(CAST("t"."word" AS TEXT) AS VARCHAR) AS sdc.values_c8b601942bd6166a)) AS INT
  ) AS "sdc code word values",
  CAST(
    enum_code(TRY_CAST(CAST(CAST("t"."code" AS TEXT) AS VARCHAR) AS sdc.values_0e817a692809949b)) AS INT
  ) AS "sdc code code values"
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
CROSS JOIN "sdc"."lists of the view" AS "p"
