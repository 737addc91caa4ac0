-- an of word, {l: 3, values: ['red', "gr'een", 'blüe', 'NULL', 'a "b"', 'unused']}
SELECT "t"."unbounded" AS "unbounded",
CASE
  WHEN "t"."word" IS NULL THEN NULL
  ELSE CASE
    WHEN t."sdc code word an values" IS NULL THEN NULL
    ELSE FLATTEN(
      LIST_TRANSFORM(
        LIST_TRANSFORM(
          LIST_TRANSFORM(
            [
              [CAST(FLOOR(CAST((t."sdc draw bits 0 0 32" * 4) AS DOUBLE) * 2.3283064365386963e-10) AS BIGINT)]
            ],
            LAMBDA "sdc_chosen" : ARRAY_APPEND(
              "sdc_chosen",
              CASE
                WHEN ARRAY_CONTAINS(
                  "sdc_chosen",
                  CAST(
                    FLOOR(
                      CAST((t."sdc draw an 41bef636:word:0 0 32" * 5) AS DOUBLE) * 2.3283064365386963e-10
                    ) AS BIGINT
                  )
                ) THEN 4
                ELSE CAST(
                  FLOOR(
                    CAST((t."sdc draw an 41bef636:word:0 0 32" * 5) AS DOUBLE) * 2.3283064365386963e-10
                  ) AS BIGINT
                )
              END
            )
          ),
          LAMBDA "sdc_chosen" : ARRAY_APPEND(
            LIST_TRANSFORM(
              "sdc_chosen",
              LAMBDA "sdc_n" : CASE
                WHEN "sdc_n" >= t."sdc code word an values" THEN "sdc_n" + 1 ELSE "sdc_n"
              END
            ),
            t."sdc code word an values"
          )
        ),
        LAMBDA "sdc_places" : LIST_TRANSFORM(
          ARRAY_SORT(
            [
              (t."sdc draw bits 0 32 32" * 65536) + 1, (t."sdc draw an 41bef636:word:0 32 32" * 65536) + 2,
              (t."sdc draw an 41bef636:word:0 96 32" * 65536) + 3
            ]
          ),
          LAMBDA "sdc_key" : CAST(
            "p"."word an values"["sdc_places"[CAST("sdc_key" % 65536 AS INT)] + 1] AS TEXT
          )
        )
      )
    )
  END
END AS "word",
"t"."many words" AS "many words", "t"."one word" AS "one word", "t"."flag" AS "flag",
"t"."letter" AS "letter", "t"."day" AS "day", "t"."code" AS "code", "t"."untouched" AS "untouched"
FROM (
  SELECT "t".*, CAST((t."sdc word bits 0 0" >> 32) AS BIGINT) AS "sdc draw bits 0 32 32",
  CAST((t."sdc word an 41bef636:word:0 0" >> 32) AS BIGINT) AS "sdc draw an 41bef636:word:0 32 32",
  CAST((t."sdc word an 41bef636:word:0 1" >> 32) AS BIGINT) AS "sdc draw an 41bef636:word:0 96 32",
  CAST(((t."sdc word bits 0 0") & 4294967295) AS BIGINT) AS "sdc draw bits 0 0 32",
  CAST(((t."sdc word an 41bef636:word:0 0") & 4294967295) AS BIGINT) AS "sdc draw an 41bef636:word:0 0 32",
  CAST(
    enum_code(TRY_CAST(CAST("t"."word" AS VARCHAR) AS sdc.values_5bd3ef93bf3bc77d)) AS INT
  ) AS "sdc code word an values"
  FROM (
    SELECT "t".*,
    CAST(
      (t."sdc half an 41bef636:word:0 0" & 18446744073709551615) AS UBIGINT
    ) AS "sdc word an 41bef636:word:0 0",
    CAST((t."sdc half an 41bef636:word:0 0" >> 64) AS UBIGINT) AS "sdc word an 41bef636:word:0 1",
    CAST(CAST(unhex(substr(t."sdc digest bits 0", 17, 16)) AS BIT) AS UBIGINT) AS "sdc word bits 0 0"
    FROM (
      SELECT "t".*,
      CAST(
        CAST(unhex(substr(t."sdc digest an 41bef636:word:0", 1, 32)) AS BIT) AS UHUGEINT
      ) AS "sdc half an 41bef636:word:0 0"
      FROM (
        SELECT "t".*,
        sha256('b4d2591ab9d81ba32310aed3adb86fcd:bits 0:' || t."sdc key") AS "sdc digest bits 0",
        sha256(
          'b4d2591ab9d81ba32310aed3adb86fcd:an 41bef636:word:0:' || t."sdc key"
        ) AS "sdc digest an 41bef636:word:0"
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
