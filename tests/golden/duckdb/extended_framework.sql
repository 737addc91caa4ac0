-- extended_framework of whole, real, decimal, word, flag, letter, {class: letter, min_cases: 40}
SELECT CASE
  WHEN "t"."whole" IS NULL THEN NULL
  ELSE CAST(
    (
      LEAST(
        GREATEST(
          CAST(
            FLOOR(
              (
                (48.90384615385e0 + 34.12388184696e0 * t."sdc once normal extended_framework aae35bff:whole")
              ) + 0.5e0
            ) AS BIGINT
          ),
          0
        ),
        100
      )
    ) AS INT
  )
END AS "whole",
CASE
  WHEN "t"."real" IS NULL THEN NULL
  ELSE CAST(
    (-5.0e0) + (
      (
        LEAST(
          GREATEST(
            (
              (
                (
                  (
                    (
                      (
                        (
                          -0.3246189206017e0
                        ) + (
                          -0.3170355483339e0
                        ) * t."sdc once normal extended_framework aae35bff:whole" + 3.497210641993e0 * t."sdc once normal extended_framework aae35bff:real"
                      )
                    ) - (-5.0e0)
                  ) / 2.3283064365386963e-09
                ) + 6755399441055744.0e0
              ) - 6755399441055744.0e0
            ),
            0.0e0
          ),
          4294967296.0e0
        )
      ) * 2.3283064365386963e-09
    ) AS DOUBLE
  )
END AS "real",
CASE
  WHEN "t"."decimal" IS NULL THEN NULL
  ELSE CAST(
    0.0e0 + (
      CAST(
        LEAST(
          GREATEST(
            CAST(
              FLOOR(
                (
                  (
                    (
                      23.82692307692e0 + (
                        -2.179832816081e0
                      ) * t."sdc once normal extended_framework aae35bff:whole" + (
                        -0.6675167176121e0
                      ) * t."sdc once normal extended_framework aae35bff:real" + 12.69511610116e0 * t."sdc once normal extended_framework aae35bff:decimal"
                    )
                  ) / 0.01e0
                ) + 0.5e0
              ) AS BIGINT
            ),
            0
          ),
          5000
        ) AS DOUBLE
      ) * 0.01e0
    ) AS DECIMAL(8, 2)
  )
END AS "decimal",
"t"."unbounded" AS "unbounded",
CAST(
  "p"."word values"[
    ((t."sdc draw bits 0 192 16" * 5) >> 16) + 1 + CAST(
      (
        ((t."sdc draw bits 0 192 16" * 5) & 65535) >= "p"."word thresholds"[
          ((t."sdc draw bits 0 192 16" * 5) >> 16) + ((CAST(t."sdc code word values" AS INT) * 5) + 1)
        ]
      ) AS BIGINT
    ) * "p"."word moves"[
      ((t."sdc draw bits 0 192 16" * 5) >> 16) + ((CAST(t."sdc code word values" AS INT) * 5) + 1)
    ]
  ] AS TEXT
) AS "word",
"t"."many words" AS "many words", "t"."one word" AS "one word",
CAST(
  "p"."flag values"[
    ((t."sdc draw bits 0 208 16" * 2) >> 16) + 1 + CAST(
      (
        ((t."sdc draw bits 0 208 16" * 2) & 65535) >= "p"."flag thresholds"[
          ((t."sdc draw bits 0 208 16" * 2) >> 16) + ((CAST(t."sdc code flag values" AS INT) * 2) + 1)
        ]
      ) AS BIGINT
    ) * "p"."flag moves"[
      ((t."sdc draw bits 0 208 16" * 2) >> 16) + ((CAST(t."sdc code flag values" AS INT) * 2) + 1)
    ]
  ] AS BOOLEAN
) AS "flag",
CAST(
  "p"."letter values"[
    "p"."letter outcomes"[
      CAST((NOT "t"."letter" IS NULL) AS BIGINT) * (
        (CAST(0 AS BIGINT) * 3) + 1 + CASE
          WHEN t."sdc draw bits 0 224 8" = "p"."letter ends"[(CAST(0 AS BIGINT) * 2) + 1] THEN CAST(
            (
              CAST(
                (
                  (
                    CAST(
                      CAST(
                        unhex(
                          substr(
                            sha256(
                              'b4d2591ab9d81ba32310aed3adb86fcd:extended_framework aae35bff:letter:tail:' || t."sdc key"
                            ),
                            17, 16
                          )
                        ) AS BIT
                      ) AS UBIGINT
                    )
                  ) & 4503599627370495
                ) AS BIGINT
              ) >= "p"."letter tails"[(CAST(0 AS BIGINT) * 2) + 1]
            ) AS BIGINT
          )
          ELSE CAST((t."sdc draw bits 0 224 8" > "p"."letter ends"[(CAST(0 AS BIGINT) * 2) + 1]) AS BIGINT)
        END + CASE
          WHEN t."sdc draw bits 0 224 8" = "p"."letter ends"[(CAST(0 AS BIGINT) * 2) + 2] THEN CAST(
            (
              CAST(
                (
                  (
                    CAST(
                      CAST(
                        unhex(
                          substr(
                            sha256(
                              'b4d2591ab9d81ba32310aed3adb86fcd:extended_framework aae35bff:letter:tail:' || t."sdc key"
                            ),
                            17, 16
                          )
                        ) AS BIT
                      ) AS UBIGINT
                    )
                  ) & 4503599627370495
                ) AS BIGINT
              ) >= "p"."letter tails"[(CAST(0 AS BIGINT) * 2) + 2]
            ) AS BIGINT
          )
          ELSE CAST((t."sdc draw bits 0 224 8" > "p"."letter ends"[(CAST(0 AS BIGINT) * 2) + 2]) AS BIGINT)
        END
      )
    ]
  ] AS ENUM('x', 'y', 'z')
) AS "letter",
"t"."day" AS "day", "t"."code" AS "code", "t"."untouched" AS "untouched"
FROM (
  SELECT "t".*,
  t."sdc once radius 0 32" * COS(
    CAST(t."sdc draw bits 0 32 32" AS DOUBLE) * 1.4629180792671596e-09
  ) AS "sdc once normal extended_framework aae35bff:whole",
  t."sdc once radius 128 32" * COS(
    CAST(t."sdc draw bits 0 160 32" AS DOUBLE) * 1.4629180792671596e-09
  ) AS "sdc once normal extended_framework aae35bff:decimal",
  t."sdc once radius 64 32" * COS(
    CAST(t."sdc draw bits 0 96 32" AS DOUBLE) * 1.4629180792671596e-09
  ) AS "sdc once normal extended_framework aae35bff:real"
  FROM (
    SELECT "t".*,
    SQRT(
      (-2.0e0) * LN(CAST((t."sdc draw bits 0 0 32" + 1) AS DOUBLE) * 2.3283064365386963e-10)
    ) AS "sdc once radius 0 32",
    SQRT(
      (-2.0e0) * LN(CAST((t."sdc draw bits 0 128 32" + 1) AS DOUBLE) * 2.3283064365386963e-10)
    ) AS "sdc once radius 128 32",
    SQRT(
      (-2.0e0) * LN(CAST((t."sdc draw bits 0 64 32" + 1) AS DOUBLE) * 2.3283064365386963e-10)
    ) AS "sdc once radius 64 32"
    FROM (
      SELECT "t".*, CAST(((t."sdc word bits 0 3") & 65535) AS INT) AS "sdc draw bits 0 192 16",
      CAST(((t."sdc word bits 0 3" >> 16) & 65535) AS INT) AS "sdc draw bits 0 208 16",
      CAST(((t."sdc word bits 0 3" >> 32) & 255) AS INT) AS "sdc draw bits 0 224 8",
      CAST(((t."sdc word bits 0 0") & 4294967295) AS BIGINT) AS "sdc draw bits 0 0 32",
      CAST(((t."sdc word bits 0 2") & 4294967295) AS BIGINT) AS "sdc draw bits 0 128 32",
      CAST(((t."sdc word bits 0 1") & 4294967295) AS BIGINT) AS "sdc draw bits 0 64 32",
      CAST((t."sdc word bits 0 0" >> 32) AS BIGINT) AS "sdc draw bits 0 32 32",
      CAST((t."sdc word bits 0 2" >> 32) AS BIGINT) AS "sdc draw bits 0 160 32",
      CAST((t."sdc word bits 0 1" >> 32) AS BIGINT) AS "sdc draw bits 0 96 32",
      CAST(
        enum_code(TRY_CAST(CAST(CAST("t"."word" AS TEXT) AS VARCHAR) AS sdc.values_c8b601942bd6166a)) AS INT
      ) AS "sdc code word values",
      CAST(
        enum_code(TRY_CAST(CAST(CAST("t"."flag" AS TEXT) AS VARCHAR) AS sdc.values_220e0ac08879cc96)) AS INT
      ) AS "sdc code flag values"
      FROM (
        SELECT "t".*, CAST((t."sdc half bits 0 0" & 18446744073709551615) AS UBIGINT) AS "sdc word bits 0 0",
        CAST((t."sdc half bits 0 0" >> 64) AS UBIGINT) AS "sdc word bits 0 1",
        CAST((t."sdc half bits 0 1" & 18446744073709551615) AS UBIGINT) AS "sdc word bits 0 2",
        CAST((t."sdc half bits 0 1" >> 64) AS UBIGINT) AS "sdc word bits 0 3"
        FROM (
          SELECT "t".*,
          CAST(CAST(unhex(substr(t."sdc digest bits 0", 1, 32)) AS BIT) AS UHUGEINT) AS "sdc half bits 0 0",
          CAST(CAST(unhex(substr(t."sdc digest bits 0", -32)) AS BIT) AS UHUGEINT) AS "sdc half bits 0 1"
          FROM (
            SELECT "t".*,
            sha256('b4d2591ab9d81ba32310aed3adb86fcd:bits 0:' || t."sdc key") AS "sdc digest bits 0"
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
  ) AS "t"
) AS "t"
CROSS JOIN "sdc"."lists of the view" AS "p"
