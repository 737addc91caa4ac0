-- ean of word, {categories: {'warm': ['red'], 'cold': ["gr'een", 'blüe'], 'odd': ['NULL', 'a "b"', 'unused']}}
SELECT "t"."unbounded" AS "unbounded",
CASE
  WHEN "t"."word" IS NULL THEN NULL
  ELSE CASE
    WHEN t."sdc code word ean values" IS NULL THEN NULL
    ELSE LIST_TRANSFORM(
      ARRAY_SORT(
        [
          t."sdc draw bits 0 32 32" * 65536 + CAST(
            FLOOR(CAST((t."sdc draw bits 0 0 32" * 1) AS DOUBLE) * 2.3283064365386963e-10) AS BIGINT
          ) + 0,
          t."sdc draw ean 5ba27d08:word:0 32 32" * 65536 + CAST(
            FLOOR(
              CAST((t."sdc draw ean 5ba27d08:word:0 0 32" * 2) AS DOUBLE) * 2.3283064365386963e-10
            ) AS BIGINT
          ) + 1,
          t."sdc draw ean 5ba27d08:word:0 96 32" * 65536 + CAST(
            FLOOR(
              CAST((t."sdc draw ean 5ba27d08:word:0 64 32" * 3) AS DOUBLE) * 2.3283064365386963e-10
            ) AS BIGINT
          ) + 3
        ]
      ),
      LAMBDA "sdc_key" : CAST(
        "p"."word ean values"[
          CASE
            WHEN "p"."word ean categories"[("sdc_key" % 65536) + 1] = "p"."word ean categories"[
              t."sdc code word ean values" + 1
            ] THEN t."sdc code word ean values"
            ELSE "sdc_key" % 65536
          END + 1
        ] AS TEXT
      )
    )
  END
END AS "word",
"t"."many words" AS "many words", "t"."one word" AS "one word", "t"."flag" AS "flag",
"t"."letter" AS "letter", "t"."day" AS "day", "t"."code" AS "code", "t"."untouched" AS "untouched"
FROM (
  SELECT "t".*, CAST((t."sdc word bits 0 0" >> 32) AS BIGINT) AS "sdc draw bits 0 32 32",
  CAST((t."sdc word ean 5ba27d08:word:0 0" >> 32) AS BIGINT) AS "sdc draw ean 5ba27d08:word:0 32 32",
  CAST((t."sdc word ean 5ba27d08:word:0 1" >> 32) AS BIGINT) AS "sdc draw ean 5ba27d08:word:0 96 32",
  CAST(((t."sdc word bits 0 0") & 4294967295) AS BIGINT) AS "sdc draw bits 0 0 32",
  CAST(((t."sdc word ean 5ba27d08:word:0 0") & 4294967295) AS BIGINT) AS "sdc draw ean 5ba27d08:word:0 0 32",
  CAST(((t."sdc word ean 5ba27d08:word:0 1") & 4294967295) AS BIGINT) AS "sdc draw ean 5ba27d08:word:0 64 32",
  CAST(
    enum_code(TRY_CAST(CAST("t"."word" AS VARCHAR) AS sdc.values_5bd3ef93bf3bc77d)) AS INT
  ) AS "sdc code word ean values"
  FROM (
    SELECT "t".*,
    CAST(CAST(unhex(substr(t."sdc digest bits 0", 17, 16)) AS BIT) AS UBIGINT) AS "sdc word bits 0 0",
    CAST(
      (t."sdc half ean 5ba27d08:word:0 0" & 18446744073709551615) AS UBIGINT
    ) AS "sdc word ean 5ba27d08:word:0 0",
    CAST((t."sdc half ean 5ba27d08:word:0 0" >> 64) AS UBIGINT) AS "sdc word ean 5ba27d08:word:0 1"
    FROM (
      SELECT "t".*,
      CAST(
        CAST(unhex(substr(t."sdc digest ean 5ba27d08:word:0", 1, 32)) AS BIT) AS UHUGEINT
      ) AS "sdc half ean 5ba27d08:word:0 0"
      FROM (
        SELECT "t".*,
        sha256('b4d2591ab9d81ba32310aed3adb86fcd:bits 0:' || t."sdc key") AS "sdc digest bits 0",
        sha256(
          'b4d2591ab9d81ba32310aed3adb86fcd:ean 5ba27d08:word:0:' || t."sdc key"
        ) AS "sdc digest ean 5ba27d08:word:0"
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
