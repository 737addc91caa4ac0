-- random_framework of whole, real, decimal, word, flag, letter, {class: letter, min_cases: 40}
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
  from_json(
    '[4294967296, 2863311533, 2863311532, 2863311531, 4294967296, 2863311532, 2863311531, 2863311533, 4294967296]',
    'ARRAY<BIGINT>', map('mode', 'FAILFAST')
  ) AS `letter thresholds`,
  from_json('[0, -1, -2, 1, 0, -1, 2, 1, 0]', 'ARRAY<BIGINT>', map('mode', 'FAILFAST')) AS `letter moves`
)
SELECT CASE
  WHEN `t`.`whole` IS NULL THEN NULL
  ELSE CAST(
    (
      (
        (
          (
            (
              CAST(
                FLOOR(
                  (
                    CAST(`t`.`whole` AS DOUBLE) + (
                      (
                        CAST(
                          FLOOR(
                            201.0e0 * CAST(`t`.`sdc draw bits 0 0 32` AS DOUBLE) * 2.3283064365386963e-10
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
END AS `whole`,
CASE
  WHEN `t`.`real` IS NULL THEN NULL
  ELSE CAST(
    (-5.0e0) + (
      (
        (
          (
            (
              (
                (
                  (
                    CAST(`t`.`real` AS DOUBLE) + (
                      (
                        20.0e0 * CAST(
                          (
                            (`t`.`sdc draw bits 0 64 32` * 2097152) + (
                              SHIFTRIGHT(`t`.`sdc draw bits 0 96 32`, 11)
                            )
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
                            CAST(`t`.`real` AS DOUBLE) + (
                              (
                                20.0e0 * CAST(
                                  (
                                    (`t`.`sdc draw bits 0 64 32` * 2097152) + (
                                      SHIFTRIGHT(`t`.`sdc draw bits 0 96 32`, 11)
                                    )
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
END AS `real`,
CASE
  WHEN `t`.`decimal` IS NULL THEN NULL
  ELSE CAST(
    ROUND(
      (
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
                            CAST(`t`.`decimal` AS DOUBLE) + (
                              (
                                CAST(
                                  FLOOR(
                                    10001.0e0 * CAST(
                                      `t`.`sdc draw bits 0 128 32` AS DOUBLE
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
      (SHIFTRIGHT((`t`.`sdc draw bits 1 0 16` * 5), 16)) + 1 + CAST(
        (
          ((`t`.`sdc draw bits 1 0 16` * 5) & 65535) >= get(
            `t`.`sdc list word thresholds`,
            CAST(
              (
                SHIFTRIGHT((`t`.`sdc draw bits 1 0 16` * 5), 16)
              ) + ((CAST(`t`.`sdc code 0` AS INT) * 5) + 1) AS INT
            ) - 1
          )
        ) AS BIGINT
      ) * get(
        `t`.`sdc list word moves`,
        CAST(
          (
            SHIFTRIGHT((`t`.`sdc draw bits 1 0 16` * 5), 16)
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
      (SHIFTRIGHT((`t`.`sdc draw bits 1 16 16` * 2), 16)) + 1 + CAST(
        (
          ((`t`.`sdc draw bits 1 16 16` * 2) & 65535) >= get(
            `t`.`sdc list flag thresholds`,
            CAST(
              (
                SHIFTRIGHT((`t`.`sdc draw bits 1 16 16` * 2), 16)
              ) + ((CAST(`t`.`sdc code 1` AS INT) * 2) + 1) AS INT
            ) - 1
          )
        ) AS BIGINT
      ) * get(
        `t`.`sdc list flag moves`,
        CAST(
          (
            SHIFTRIGHT((`t`.`sdc draw bits 1 16 16` * 2), 16)
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
      (SHIFTRIGHT((`t`.`sdc draw bits 0 192 32` * 3), 32)) + 1 + CAST(
        (
          ((`t`.`sdc draw bits 0 192 32` * 3) & 4294967295) >= get(
            `t`.`sdc list letter thresholds`,
            CAST(
              (
                SHIFTRIGHT((`t`.`sdc draw bits 0 192 32` * 3), 32)
              ) + ((CAST(`t`.`sdc code 2` AS INT) * 3) + 1) AS INT
            ) - 1
          )
        ) AS BIGINT
      ) * get(
        `t`.`sdc list letter moves`,
        CAST(
          (
            SHIFTRIGHT((`t`.`sdc draw bits 0 192 32` * 3), 32)
          ) + ((CAST(`t`.`sdc code 2` AS INT) * 3) + 1) AS INT
        ) - 1
      ) AS INT
    ) - 1
  ) AS STRING
) AS `letter`,
`t`.`day` AS `day`, `t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*,
  (
    NULLIF(array_position(`t`.`sdc list word values`, CAST(CAST(`t`.`word` AS STRING) AS STRING)), 0) - 1
  ) AS `sdc code 0`,
  (
    NULLIF(array_position(`t`.`sdc list flag values`, CAST(CAST(`t`.`flag` AS STRING) AS STRING)), 0) - 1
  ) AS `sdc code 1`,
  (
    NULLIF(array_position(`t`.`sdc list letter values`, CAST(CAST(`t`.`letter` AS STRING) AS STRING)), 0) - 1
  ) AS `sdc code 2`,
  CAST(conv(substr(`t`.`sdc digest bits 1`, 29, 4), 16, 10) AS BIGINT) AS `sdc draw bits 1 0 16`,
  CAST(conv(substr(`t`.`sdc digest bits 1`, 25, 4), 16, 10) AS BIGINT) AS `sdc draw bits 1 16 16`,
  CAST(conv(substr(`t`.`sdc digest bits 0`, 41, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 192 32`,
  CAST(conv(substr(`t`.`sdc digest bits 0`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 0 32`,
  CAST(conv(substr(`t`.`sdc digest bits 0`, 9, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 64 32`,
  CAST(conv(substr(`t`.`sdc digest bits 0`, 1, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 96 32`,
  CAST(conv(substr(`t`.`sdc digest bits 0`, 57, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 128 32`
  FROM (
    SELECT `t`.*,
    sha2(
      concat(
        'b4d2591ab9d81ba32310aed3adb86fcd:bits 1:',
        coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
      ),
      256
    ) AS `sdc digest bits 1`,
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
    (SELECT `letter thresholds` FROM `p`) AS `sdc list letter thresholds`,
    (SELECT `letter moves` FROM `p`) AS `sdc list letter moves`
    FROM `people` AS `t`
  ) AS `t`
) AS `t`
