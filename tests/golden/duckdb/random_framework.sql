-- random_framework of whole, real, decimal, word, flag, letter, {class: letter, min_cases: 40}
SELECT CASE
  WHEN "t"."whole" IS NULL THEN NULL
  ELSE CAST(
    (
      (
        (
          (
            (
              CAST(
                FLOOR(
                  (
                    CAST("t"."whole" AS DOUBLE) + (
                      (
                        CAST(
                          FLOOR(
                            201.0e0 * CAST(t."sdc draw bits 0 0 32" AS DOUBLE) * 2.3283064365386963e-10
                          ) AS DOUBLE
                        ) - 100.0e0
                      ) * 1.0e0
                    )
                  ) + 0.5e0
                ) AS BIGINT
              )
            ) % 101
          ) + 101
        ) % 101
      )
    ) AS INT
  )
END AS "whole",
CASE
  WHEN "t"."real" IS NULL THEN NULL
  ELSE CAST(
    (-5.0e0) + (
      (
        (
          (
            (
              (
                (
                  (
                    CAST("t"."real" AS DOUBLE) + (
                      (
                        20.0e0 * CAST(
                          (
                            (t."sdc draw bits 0 64 32" * 2097152) + (t."sdc draw bits 0 96 32" >> 11)
                          ) AS DOUBLE
                        ) * 1.1102230246251565e-16
                      ) - 10.0e0
                    )
                  ) - (-5.0e0)
                ) / 9.313225746154785e-09
              ) + 6755399441055744.0e0
            ) - 6755399441055744.0e0
          ) - (
            CAST(
              FLOOR(
                (
                  (
                    (
                      (
                        (
                          (
                            CAST("t"."real" AS DOUBLE) + (
                              (
                                20.0e0 * CAST(
                                  (
                                    (t."sdc draw bits 0 64 32" * 2097152) + (t."sdc draw bits 0 96 32" >> 11)
                                  ) AS DOUBLE
                                ) * 1.1102230246251565e-16
                              ) - 10.0e0
                            )
                          ) - (-5.0e0)
                        ) / 9.313225746154785e-09
                      ) + 6755399441055744.0e0
                    ) - 6755399441055744.0e0
                  ) / 1073741824.0e0
                )
              ) AS DOUBLE
            ) * 1073741824.0e0
          )
        )
      ) * 9.313225746154785e-09
    ) AS DOUBLE
  )
END AS "real",
CASE
  WHEN "t"."decimal" IS NULL THEN NULL
  ELSE CAST(
    0.0e0 + (
      CAST(
        (
          (
            (
              (
                CAST(
                  FLOOR(
                    (
                      (
                        CAST("t"."decimal" AS DOUBLE) + (
                          (
                            CAST(
                              FLOOR(
                                10001.0e0 * CAST(
                                  t."sdc draw bits 0 128 32" AS DOUBLE
                                ) * 2.3283064365386963e-10
                              ) AS DOUBLE
                            ) - 5000.0e0
                          ) * 0.01e0
                        )
                      ) / 0.01e0
                    ) + 0.5e0
                  ) AS BIGINT
                )
              ) % 5001
            ) + 5001
          ) % 5001
        ) AS DOUBLE
      ) * 0.01e0
    ) AS DECIMAL(8, 2)
  )
END AS "decimal",
"t"."unbounded" AS "unbounded",
CAST(
  "p"."word values"[
    ((t."sdc draw bits 1 0 16" * 5) >> 16) + 1 + CAST(
      (
        ((t."sdc draw bits 1 0 16" * 5) & 65535) >= "p"."word thresholds"[
          ((t."sdc draw bits 1 0 16" * 5) >> 16) + ((CAST(t."sdc code word values" AS INT) * 5) + 1)
        ]
      ) AS BIGINT
    ) * "p"."word moves"[
      ((t."sdc draw bits 1 0 16" * 5) >> 16) + ((CAST(t."sdc code word values" AS INT) * 5) + 1)
    ]
  ] AS TEXT
) AS "word",
"t"."many words" AS "many words", "t"."one word" AS "one word",
CAST(
  "p"."flag values"[
    ((t."sdc draw bits 1 16 16" * 2) >> 16) + 1 + CAST(
      (
        ((t."sdc draw bits 1 16 16" * 2) & 65535) >= "p"."flag thresholds"[
          ((t."sdc draw bits 1 16 16" * 2) >> 16) + ((CAST(t."sdc code flag values" AS INT) * 2) + 1)
        ]
      ) AS BIGINT
    ) * "p"."flag moves"[
      ((t."sdc draw bits 1 16 16" * 2) >> 16) + ((CAST(t."sdc code flag values" AS INT) * 2) + 1)
    ]
  ] AS BOOLEAN
) AS "flag",
CAST(
  "p"."letter values"[
    ((t."sdc draw bits 0 192 32" * 3) >> 32) + 1 + CAST(
      (
        ((t."sdc draw bits 0 192 32" * 3) & 4294967295) >= "p"."letter thresholds"[
          ((t."sdc draw bits 0 192 32" * 3) >> 32) + ((CAST(t."sdc code letter values" AS INT) * 3) + 1)
        ]
      ) AS BIGINT
    ) * "p"."letter moves"[
      ((t."sdc draw bits 0 192 32" * 3) >> 32) + ((CAST(t."sdc code letter values" AS INT) * 3) + 1)
    ]
  ] AS ENUM('x', 'y', 'z')
) AS "letter",
"t"."day" AS "day", "t"."code" AS "code", "t"."untouched" AS "untouched"
FROM (
  SELECT "t".*, CAST(((t."sdc word bits 1 0") & 65535) AS INT) AS "sdc draw bits 1 0 16",
  CAST(((t."sdc word bits 1 0" >> 16) & 65535) AS INT) AS "sdc draw bits 1 16 16",
  CAST(((t."sdc word bits 0 3") & 4294967295) AS BIGINT) AS "sdc draw bits 0 192 32",
  CAST(((t."sdc word bits 0 0") & 4294967295) AS BIGINT) AS "sdc draw bits 0 0 32",
  CAST(((t."sdc word bits 0 1") & 4294967295) AS BIGINT) AS "sdc draw bits 0 64 32",
  CAST((t."sdc word bits 0 1" >> 32) AS BIGINT) AS "sdc draw bits 0 96 32",
  CAST(((t."sdc word bits 0 2") & 4294967295) AS BIGINT) AS "sdc draw bits 0 128 32",
  CAST(
    enum_code(TRY_CAST(CAST(CAST("t"."word" AS TEXT) AS VARCHAR) AS sdc.values_c8b601942bd6166a)) AS INT
  ) AS "sdc code word values",
  CAST(
    enum_code(TRY_CAST(CAST(CAST("t"."flag" AS TEXT) AS VARCHAR) AS sdc.values_220e0ac08879cc96)) AS INT
  ) AS "sdc code flag values",
  CAST(
    enum_code(TRY_CAST(CAST(CAST("t"."letter" AS TEXT) AS VARCHAR) AS sdc.values_567a648207b52b51)) AS INT
  ) AS "sdc code letter values"
  FROM (
    SELECT "t".*, CAST((t."sdc half bits 0 0" & 18446744073709551615) AS UBIGINT) AS "sdc word bits 0 0",
    CAST((t."sdc half bits 0 0" >> 64) AS UBIGINT) AS "sdc word bits 0 1",
    CAST((t."sdc half bits 0 1" & 18446744073709551615) AS UBIGINT) AS "sdc word bits 0 2",
    CAST((t."sdc half bits 0 1" >> 64) AS UBIGINT) AS "sdc word bits 0 3",
    CAST(CAST(unhex(substr(t."sdc digest bits 1", 17, 16)) AS BIT) AS UBIGINT) AS "sdc word bits 1 0"
    FROM (
      SELECT "t".*,
      CAST(CAST(unhex(substr(t."sdc digest bits 0", 1, 32)) AS BIT) AS UHUGEINT) AS "sdc half bits 0 0",
      CAST(CAST(unhex(substr(t."sdc digest bits 0", -32)) AS BIT) AS UHUGEINT) AS "sdc half bits 0 1"
      FROM (
        SELECT "t".*,
        sha256('b4d2591ab9d81ba32310aed3adb86fcd:bits 1:' || t."sdc key") AS "sdc digest bits 1",
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
CROSS JOIN "sdc"."lists of the view" AS "p"
