-- framework of whole, real, decimal, word, flag, letter, {class: letter, min_cases: 40}
WITH `p` AS (
  SELECT from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `whole starts`,
  from_json('[101.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `whole widths`,
  from_json('[33.6633]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `whole sds`,
  from_json('[-5.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `real starts`,
  from_json('[9.9999999999999]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `real widths`,
  from_json('[3.3329999999999997]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `real sds`,
  from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `decimal starts`,
  from_json('[5001.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `decimal widths`,
  from_json('[1666.8332999999996]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `decimal sds`,
  from_json(
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
  from_json(
    '[1747451135256114089, 3317468646910479606]', 'ARRAY<BIGINT>', map('mode', 'FAILFAST')
  ) AS `letter ends`
)
SELECT CAST(
  RINT(
    (
      (
        CAST(
          FLOOR(
            CAST(`t`.`whole` AS DOUBLE) + (
              33.6633e0 * (
                `t`.`sdc once radius 128 24` * COS(
                  CAST(`t`.`sdc draw bits 0 152 24` AS DOUBLE) * 3.7450702829239286e-07
                )
              )
            ) + 0.5e0
          ) AS DOUBLE
        )
      ) - (
        101.0e0 * CAST(
          FLOOR(
            (
              (
                (
                  CAST(
                    FLOOR(
                      CAST(`t`.`whole` AS DOUBLE) + (
                        33.6633e0 * (
                          `t`.`sdc once radius 128 24` * COS(
                            CAST(`t`.`sdc draw bits 0 152 24` AS DOUBLE) * 3.7450702829239286e-07
                          )
                        )
                      ) + 0.5e0
                    ) AS DOUBLE
                  )
                ) - 0.0e0
              ) / 101.0e0
            )
          ) AS DOUBLE
        )
      )
    )
  ) AS INT
) AS `whole`,
CAST(
  (-5.0e0) + (
    (
      (
        (
          (
            (
              (
                (
                  CAST(`t`.`real` AS DOUBLE) + (
                    3.3329999999999997e0 * (
                      `t`.`sdc once radius 0 32` * COS(
                        CAST(`t`.`sdc draw bits 0 32 32` AS DOUBLE) * 1.4629180792671596e-09
                      )
                    )
                  )
                ) - (-5.0e0)
              ) / 9.9999999999999e0
            ) * 4294967296.0e0
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
                        CAST(`t`.`real` AS DOUBLE) + (
                          3.3329999999999997e0 * (
                            `t`.`sdc once radius 0 32` * COS(
                              CAST(`t`.`sdc draw bits 0 32 32` AS DOUBLE) * 1.4629180792671596e-09
                            )
                          )
                        )
                      ) - (-5.0e0)
                    ) / 9.9999999999999e0
                  ) * 4294967296.0e0
                ) + 6755399441055744.0e0
              ) - 6755399441055744.0e0
            ) * 2.3283064365386963e-10
          ) AS DOUBLE
        ) * 4294967296.0e0
      )
    ) * (9.9999999999999e0 * 2.3283064365386963e-10)
  ) AS DOUBLE
) AS `real`,
CAST(
  ROUND(
    (
      (
        (
          CAST(
            FLOOR(
              (CAST(`t`.`decimal` AS DOUBLE) / 0.01e0) + (
                1666.8332999999996e0 * (
                  `t`.`sdc once radius 128 24` * SIN(
                    CAST(`t`.`sdc draw bits 0 152 24` AS DOUBLE) * 3.7450702829239286e-07
                  )
                )
              ) + 0.5e0
            ) AS DOUBLE
          )
        ) - (
          5001.0e0 * CAST(
            FLOOR(
              (
                (
                  (
                    CAST(
                      FLOOR(
                        (CAST(`t`.`decimal` AS DOUBLE) / 0.01e0) + (
                          1666.8332999999996e0 * (
                            `t`.`sdc once radius 128 24` * SIN(
                              CAST(`t`.`sdc draw bits 0 152 24` AS DOUBLE) * 3.7450702829239286e-07
                            )
                          )
                        ) + 0.5e0
                      ) AS DOUBLE
                    )
                  ) - 0.0e0
                ) / 5001.0e0
              )
            ) AS DOUBLE
          )
        )
      ) * 0.01e0
    ) * 100.0e0
  ) / 100.0e0 AS DECIMAL(8, 2)
) AS `decimal`,
`t`.`unbounded` AS `unbounded`,
CAST(
  get(
    `t`.`sdc list word values`,
    CAST(
      (SHIFTRIGHT((`t`.`sdc draw bits 0 176 16` * 5), 16)) + 1 + CAST(
        (
          ((`t`.`sdc draw bits 0 176 16` * 5) & 65535) >= get(
            `t`.`sdc list word thresholds`,
            CAST(
              (
                SHIFTRIGHT((`t`.`sdc draw bits 0 176 16` * 5), 16)
              ) + ((CAST(`t`.`sdc code 0` AS INT) * 5) + 1) AS INT
            ) - 1
          )
        ) AS BIGINT
      ) * get(
        `t`.`sdc list word moves`,
        CAST(
          (
            SHIFTRIGHT((`t`.`sdc draw bits 0 176 16` * 5), 16)
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
      (SHIFTRIGHT((`t`.`sdc draw bits 0 192 16` * 2), 16)) + 1 + CAST(
        (
          ((`t`.`sdc draw bits 0 192 16` * 2) & 65535) >= get(
            `t`.`sdc list flag thresholds`,
            CAST(
              (
                SHIFTRIGHT((`t`.`sdc draw bits 0 192 16` * 2), 16)
              ) + ((CAST(`t`.`sdc code 1` AS INT) * 2) + 1) AS INT
            ) - 1
          )
        ) AS BIGINT
      ) * get(
        `t`.`sdc list flag moves`,
        CAST(
          (
            SHIFTRIGHT((`t`.`sdc draw bits 0 192 16` * 2), 16)
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
            (CAST(0 AS BIGINT) * 3) + 1 + CAST(
              (
                (
                  (`t`.`sdc draw bits 0 64 32` * 1073741824) + (SHIFTRIGHT(`t`.`sdc draw bits 0 96 32`, 2))
                ) >= get(`t`.`sdc list letter ends`, CAST((CAST(0 AS BIGINT) * 2) + 1 AS INT) - 1)
              ) AS BIGINT
            ) + CAST(
              (
                (
                  (`t`.`sdc draw bits 0 64 32` * 1073741824) + (SHIFTRIGHT(`t`.`sdc draw bits 0 96 32`, 2))
                ) >= get(`t`.`sdc list letter ends`, CAST((CAST(0 AS BIGINT) * 2) + 2 AS INT) - 1)
              ) AS BIGINT
            )
          ) AS INT
        ) - 1
      ) AS INT
    ) - 1
  ) AS STRING
) AS `letter`,
`t`.`day` AS `day`, `t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*,
  SQRT(
    (-2.0e0) * LN(CAST((`t`.`sdc draw bits 0 128 24` + 1) AS DOUBLE) * 5.960464477539063e-08)
  ) AS `sdc once radius 128 24`,
  SQRT(
    (-2.0e0) * LN(CAST((`t`.`sdc draw bits 0 0 32` + 1) AS DOUBLE) * 2.3283064365386963e-10)
  ) AS `sdc once radius 0 32`
  FROM (
    SELECT `t`.*,
    (
      NULLIF(array_position(`t`.`sdc list word values`, CAST(CAST(`t`.`word` AS STRING) AS STRING)), 0) - 1
    ) AS `sdc code 0`,
    (
      NULLIF(array_position(`t`.`sdc list flag values`, CAST(CAST(`t`.`flag` AS STRING) AS STRING)), 0) - 1
    ) AS `sdc code 1`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 49, 4), 16, 10) AS BIGINT) AS `sdc draw bits 0 176 16`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 45, 4), 16, 10) AS BIGINT) AS `sdc draw bits 0 192 16`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 9, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 64 32`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 1, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 96 32`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 53, 6), 16, 10) AS BIGINT) AS `sdc draw bits 0 152 24`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 17, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 32 32`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 59, 6), 16, 10) AS BIGINT) AS `sdc draw bits 0 128 24`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 0 32`
    FROM (
      SELECT `t`.*,
      sha2(
        concat(
          'b4d2591ab9d81ba32310aed3adb86fcd:bits 0:',
          coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
        ),
        256
      ) AS `sdc digest bits 0`,
      (SELECT `whole starts` FROM `p`) AS `sdc list whole starts`,
      (SELECT `whole widths` FROM `p`) AS `sdc list whole widths`,
      (SELECT `whole sds` FROM `p`) AS `sdc list whole sds`,
      (SELECT `real starts` FROM `p`) AS `sdc list real starts`,
      (SELECT `real widths` FROM `p`) AS `sdc list real widths`,
      (SELECT `real sds` FROM `p`) AS `sdc list real sds`,
      (SELECT `decimal starts` FROM `p`) AS `sdc list decimal starts`,
      (SELECT `decimal widths` FROM `p`) AS `sdc list decimal widths`,
      (SELECT `decimal sds` FROM `p`) AS `sdc list decimal sds`,
      (SELECT `word values` FROM `p`) AS `sdc list word values`,
      (SELECT `word thresholds` FROM `p`) AS `sdc list word thresholds`,
      (SELECT `word moves` FROM `p`) AS `sdc list word moves`,
      (SELECT `flag values` FROM `p`) AS `sdc list flag values`,
      (SELECT `flag thresholds` FROM `p`) AS `sdc list flag thresholds`,
      (SELECT `flag moves` FROM `p`) AS `sdc list flag moves`,
      (SELECT `letter values` FROM `p`) AS `sdc list letter values`,
      (SELECT `letter outcomes` FROM `p`) AS `sdc list letter outcomes`,
      (SELECT `letter ends` FROM `p`) AS `sdc list letter ends`
      FROM `people` AS `t`
    ) AS `t`
  ) AS `t`
) AS `t`
