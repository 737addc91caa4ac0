-- extended_framework of whole, real, decimal, word, flag, letter, {class: letter, min_cases: 40}
WITH `p` AS (
  SELECT from_json(
    '["NULL", "a \\"b\\"", "blüe", "gr\'een", "red"]', 'ARRAY<STRING>', map('mode', 'FAILFAST')
  ) AS `word values`,
  from_json(
    '[65536, 8199, 8193, 8192, 8191, 8195, 65536, 8193, 8192, 8191, 8195, 8194, 65536, 8192, 8191, 8195, 8194, 8193, 65536, 8191, 8195, 8194, 8193, 8192, 65536]',
    'ARRAY<BIGINT>', map('mode', 'FAILFAST')
  ) AS `word thresholds`,
  from_json(
    '[0, -1, -2, -3, -4, 1, 0, -1, -2, -3, 2, 1, 0, -1, -2, 3, 2, 1, 0, -1, 4, 3, 2, 1, 0]', 'ARRAY<BIGINT>',
    map('mode', 'FAILFAST')
  ) AS `word moves`,
  CAST(
    CAST(
      from_json('["false", "true"]', 'ARRAY<STRING>', map('mode', 'FAILFAST')) AS ARRAY<BOOLEAN>
    ) AS ARRAY<STRING>
  ) AS `flag values`,
  from_json('[65536, 13108, 13108, 65536]', 'ARRAY<BIGINT>', map('mode', 'FAILFAST')) AS `flag thresholds`,
  from_json('[0, -1, 1, 0]', 'ARRAY<BIGINT>', map('mode', 'FAILFAST')) AS `flag moves`,
  from_json('["x", "y", "z"]', 'ARRAY<STRING>', map('mode', 'FAILFAST')) AS `letter values`,
  from_json('[1, 2, 3]', 'ARRAY<BIGINT>', map('mode', 'FAILFAST')) AS `letter outcomes`,
  from_json('[93, 173]', 'ARRAY<BIGINT>', map('mode', 'FAILFAST')) AS `letter ends`,
  from_json(
    '[2165878336385934, 4129771329960361]', 'ARRAY<BIGINT>', map('mode', 'FAILFAST')
  ) AS `letter tails`
)
SELECT CASE
  WHEN `t`.`whole` IS NULL THEN NULL
  ELSE CAST(
    (
      LEAST(
        GREATEST(
          CAST(
            FLOOR(
              (
                (
                  48.90384615385e0 + 34.12388184696e0 * `t`.`sdc once normal extended_framework aae35bff:whole`
                )
              ) + 0.5e0
            ) AS BIGINT
          ),
          0
        ),
        100
      )
    ) AS INT
  )
END AS `whole`,
CASE
  WHEN `t`.`real` IS NULL THEN NULL
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
                        ) * `t`.`sdc once normal extended_framework aae35bff:whole` + 3.497210641993e0 * `t`.`sdc once normal extended_framework aae35bff:real`
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
END AS `real`,
CASE
  WHEN `t`.`decimal` IS NULL THEN NULL
  ELSE CAST(
    ROUND(
      (
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
                          ) * `t`.`sdc once normal extended_framework aae35bff:whole` + (
                            -0.6675167176121e0
                          ) * `t`.`sdc once normal extended_framework aae35bff:real` + 12.69511610116e0 * `t`.`sdc once normal extended_framework aae35bff:decimal`
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
        )
      ) * 100.0e0
    ) / 100.0e0 AS DECIMAL(8, 2)
  )
END AS `decimal`,
`t`.`unbounded` AS `unbounded`,
CAST(
  get(
    `t`.`sdc list word values`,
    CAST(
      (SHIFTRIGHT((`t`.`sdc draw bits 0 192 16` * 5), 16)) + 1 + CAST(
        (
          ((`t`.`sdc draw bits 0 192 16` * 5) & 65535) >= get(
            `t`.`sdc list word thresholds`,
            CAST(
              (
                SHIFTRIGHT((`t`.`sdc draw bits 0 192 16` * 5), 16)
              ) + ((CAST(`t`.`sdc code 0` AS INT) * 5) + 1) AS INT
            ) - 1
          )
        ) AS BIGINT
      ) * get(
        `t`.`sdc list word moves`,
        CAST(
          (
            SHIFTRIGHT((`t`.`sdc draw bits 0 192 16` * 5), 16)
          ) + ((CAST(`t`.`sdc code 0` AS INT) * 5) + 1) AS INT
        ) - 1
      ) AS INT
    ) - 1
  ) AS STRING
) AS `word`,
`t`.`many words` AS `many words`, `t`.`one word` AS `one word`,
CAST(
  get(
    `t`.`sdc list flag values`,
    CAST(
      (SHIFTRIGHT((`t`.`sdc draw bits 0 208 16` * 2), 16)) + 1 + CAST(
        (
          ((`t`.`sdc draw bits 0 208 16` * 2) & 65535) >= get(
            `t`.`sdc list flag thresholds`,
            CAST(
              (
                SHIFTRIGHT((`t`.`sdc draw bits 0 208 16` * 2), 16)
              ) + ((CAST(`t`.`sdc code 1` AS INT) * 2) + 1) AS INT
            ) - 1
          )
        ) AS BIGINT
      ) * get(
        `t`.`sdc list flag moves`,
        CAST(
          (
            SHIFTRIGHT((`t`.`sdc draw bits 0 208 16` * 2), 16)
          ) + ((CAST(`t`.`sdc code 1` AS INT) * 2) + 1) AS INT
        ) - 1
      ) AS INT
    ) - 1
  ) AS BOOLEAN
) AS `flag`,
CAST(
  get(
    `t`.`sdc list letter values`,
    CAST(
      get(
        `t`.`sdc list letter outcomes`,
        CAST(
          CAST((NOT `t`.`letter` IS NULL) AS BIGINT) * (
            (CAST(0 AS BIGINT) * 3) + 1 + CASE
              WHEN `t`.`sdc draw bits 0 224 8` = get(
                `t`.`sdc list letter ends`, CAST((CAST(0 AS BIGINT) * 2) + 1 AS INT) - 1
              ) THEN CAST(
                (
                  CAST(
                    conv(
                      substr(
                        sha2(
                          concat(
                            'b4d2591ab9d81ba32310aed3adb86fcd:extended_framework aae35bff:letter:tail:',
                            coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
                          ),
                          256
                        ),
                        20, 13
                      ),
                      16, 10
                    ) AS BIGINT
                  ) >= get(`t`.`sdc list letter tails`, CAST((CAST(0 AS BIGINT) * 2) + 1 AS INT) - 1)
                ) AS BIGINT
              )
              ELSE CAST(
                (
                  `t`.`sdc draw bits 0 224 8` > get(
                    `t`.`sdc list letter ends`, CAST((CAST(0 AS BIGINT) * 2) + 1 AS INT) - 1
                  )
                ) AS BIGINT
              )
            END + CASE
              WHEN `t`.`sdc draw bits 0 224 8` = get(
                `t`.`sdc list letter ends`, CAST((CAST(0 AS BIGINT) * 2) + 2 AS INT) - 1
              ) THEN CAST(
                (
                  CAST(
                    conv(
                      substr(
                        sha2(
                          concat(
                            'b4d2591ab9d81ba32310aed3adb86fcd:extended_framework aae35bff:letter:tail:',
                            coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
                          ),
                          256
                        ),
                        20, 13
                      ),
                      16, 10
                    ) AS BIGINT
                  ) >= get(`t`.`sdc list letter tails`, CAST((CAST(0 AS BIGINT) * 2) + 2 AS INT) - 1)
                ) AS BIGINT
              )
              ELSE CAST(
                (
                  `t`.`sdc draw bits 0 224 8` > get(
                    `t`.`sdc list letter ends`, CAST((CAST(0 AS BIGINT) * 2) + 2 AS INT) - 1
                  )
                ) AS BIGINT
              )
            END
          ) AS INT
        ) - 1
      ) AS INT
    ) - 1
  ) AS STRING
) AS `letter`,
`t`.`day` AS `day`, `t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*,
  `t`.`sdc once radius 0 32` * COS(
    CAST(`t`.`sdc draw bits 0 32 32` AS DOUBLE) * 1.4629180792671596e-09
  ) AS `sdc once normal extended_framework aae35bff:whole`,
  `t`.`sdc once radius 128 32` * COS(
    CAST(`t`.`sdc draw bits 0 160 32` AS DOUBLE) * 1.4629180792671596e-09
  ) AS `sdc once normal extended_framework aae35bff:decimal`,
  `t`.`sdc once radius 64 32` * COS(
    CAST(`t`.`sdc draw bits 0 96 32` AS DOUBLE) * 1.4629180792671596e-09
  ) AS `sdc once normal extended_framework aae35bff:real`
  FROM (
    SELECT `t`.*,
    SQRT(
      (-2.0e0) * LN(CAST((`t`.`sdc draw bits 0 0 32` + 1) AS DOUBLE) * 2.3283064365386963e-10)
    ) AS `sdc once radius 0 32`,
    SQRT(
      (-2.0e0) * LN(CAST((`t`.`sdc draw bits 0 128 32` + 1) AS DOUBLE) * 2.3283064365386963e-10)
    ) AS `sdc once radius 128 32`,
    SQRT(
      (-2.0e0) * LN(CAST((`t`.`sdc draw bits 0 64 32` + 1) AS DOUBLE) * 2.3283064365386963e-10)
    ) AS `sdc once radius 64 32`
    FROM (
      SELECT `t`.*,
      (
        NULLIF(array_position(`t`.`sdc list word values`, CAST(CAST(`t`.`word` AS STRING) AS STRING)), 0) - 1
      ) AS `sdc code 0`,
      (
        NULLIF(array_position(`t`.`sdc list flag values`, CAST(CAST(`t`.`flag` AS STRING) AS STRING)), 0) - 1
      ) AS `sdc code 1`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 45, 4), 16, 10) AS BIGINT) AS `sdc draw bits 0 192 16`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 41, 4), 16, 10) AS BIGINT) AS `sdc draw bits 0 208 16`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 39, 2), 16, 10) AS BIGINT) AS `sdc draw bits 0 224 8`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 0 32`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 57, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 128 32`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 9, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 64 32`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 17, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 32 32`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 49, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 160 32`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 1, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 96 32`
      FROM (
        SELECT `t`.*,
        sha2(
          concat(
            'b4d2591ab9d81ba32310aed3adb86fcd:bits 0:',
            coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
          ),
          256
        ) AS `sdc digest bits 0`,
        (SELECT `word values` FROM `p`) AS `sdc list word values`,
        (SELECT `word thresholds` FROM `p`) AS `sdc list word thresholds`,
        (SELECT `word moves` FROM `p`) AS `sdc list word moves`,
        (SELECT `flag values` FROM `p`) AS `sdc list flag values`,
        (SELECT `flag thresholds` FROM `p`) AS `sdc list flag thresholds`,
        (SELECT `flag moves` FROM `p`) AS `sdc list flag moves`,
        (SELECT `letter values` FROM `p`) AS `sdc list letter values`,
        (SELECT `letter outcomes` FROM `p`) AS `sdc list letter outcomes`,
        (SELECT `letter ends` FROM `p`) AS `sdc list letter ends`,
        (SELECT `letter tails` FROM `p`) AS `sdc list letter tails`
        FROM `people` AS `t`
      ) AS `t`
    ) AS `t`
  ) AS `t`
) AS `t`
