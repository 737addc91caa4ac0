-- random of word, code, {k1: 5, k2: 20}
WITH `p` AS (
  SELECT from_json(
    '["NULL", "a \\"b\\"", "blüe", "gr\'een", "red"]', 'ARRAY<STRING>', map('mode', 'FAILFAST')
  ) AS `word values`,
  from_json(
    '[4294967296, 1587928054, 1587928053, 1587928052, 1587928051, 1587928050, 4294967296, 1587928053, 1587928052, 1587928051, 1003904960, 1003904964, 4294967296, 1003904957, 1003904956, 1587928050, 1587928054, 1587928053, 4294967296, 1587928051, 1003904960, 1003904964, 1003904958, 1003904957, 4294967296]',
    'ARRAY<BIGINT>', map('mode', 'FAILFAST')
  ) AS `word thresholds`,
  from_json(
    '[0, -1, -2, -3, -4, 1, 0, -1, -2, -3, 2, 1, 0, -1, -2, 3, 2, 1, 0, -1, 4, 3, 2, 1, 0]', 'ARRAY<BIGINT>',
    map('mode', 'FAILFAST')
  ) AS `word moves`,
  CAST(
    CAST(
      from_json(
        '["0", "1", "2", "3", "4", "5", "6"]', 'ARRAY<STRING>', map('mode', 'FAILFAST')
      ) AS ARRAY<BIGINT>
    ) AS ARRAY<STRING>
  ) AS `code values`,
  from_json(
    '[4294967296, 1002159042, 1002159045, 1002159041, 1002159037, 1002159033, 1002159036, 1002159039, 4294967296, 1002159045, 1002159041, 1002159037, 1002159033, 1002159036, 1002159039, 1002159042, 4294967296, 1002159041, 1002159037, 1002159033, 1002159036, 1002159039, 1002159042, 1002159045, 4294967296, 1002159037, 1002159033, 1002159036, 1531076309, 1531076312, 1531076308, 1531076304, 4294967296, 1531076303, 1531076306, 1531076309, 1531076312, 1531076308, 1531076304, 1531076307, 4294967296, 1531076306, 1531076309, 1531076312, 1531076308, 1531076304, 1531076307, 1531076303, 4294967296]',
    'ARRAY<BIGINT>', map('mode', 'FAILFAST')
  ) AS `code thresholds`,
  from_json(
    '[0, -1, -2, -3, -4, -5, -6, 1, 0, -1, -2, -3, -4, -5, 2, 1, 0, -1, -2, -3, -4, 3, 2, 1, 0, -1, -2, -3, 4, 3, 2, 1, 0, -1, -2, 5, 4, 3, 2, 1, 0, -1, 6, 5, 4, 3, 2, 1, 0]',
    'ARRAY<BIGINT>', map('mode', 'FAILFAST')
  ) AS `code moves`
)
SELECT `t`.`unbounded` AS `unbounded`,
CAST(
  get(
    `t`.`sdc list word values`,
    CAST(
      (SHIFTRIGHT((`t`.`sdc draw 0 0` * 5), 32)) + 1 + CAST(
        (
          ((`t`.`sdc draw 0 0` * 5) & 4294967295) >= get(
            `t`.`sdc list word thresholds`,
            CAST(
              (CAST(`t`.`sdc code 0` AS BIGINT) * 5) + (SHIFTRIGHT((`t`.`sdc draw 0 0` * 5), 32)) + 1 AS INT
            ) - 1
          )
        ) AS BIGINT
      ) * get(
        `t`.`sdc list word moves`,
        CAST(
          (CAST(`t`.`sdc code 0` AS BIGINT) * 5) + (SHIFTRIGHT((`t`.`sdc draw 0 0` * 5), 32)) + 1 AS INT
        ) - 1
      ) AS INT
    ) - 1
  ) AS STRING
) AS `word`,
`t`.`many words` AS `many words`, `t`.`one word` AS `one word`, `t`.`flag` AS `flag`,
`t`.`letter` AS `letter`, `t`.`day` AS `day`,
CAST(
  get(
    `t`.`sdc list code values`,
    CAST(
      (SHIFTRIGHT((`t`.`sdc draw 0 1` * 7), 32)) + 1 + CAST(
        (
          ((`t`.`sdc draw 0 1` * 7) & 4294967295) >= get(
            `t`.`sdc list code thresholds`,
            CAST(
              (CAST(`t`.`sdc code 1` AS BIGINT) * 7) + (SHIFTRIGHT((`t`.`sdc draw 0 1` * 7), 32)) + 1 AS INT
            ) - 1
          )
        ) AS BIGINT
      ) * get(
        `t`.`sdc list code moves`,
        CAST(
          (CAST(`t`.`sdc code 1` AS BIGINT) * 7) + (SHIFTRIGHT((`t`.`sdc draw 0 1` * 7), 32)) + 1 AS INT
        ) - 1
      ) AS INT
    ) - 1
  ) AS BIGINT
) AS `code`,
`t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*,
  (
    NULLIF(array_position(`t`.`sdc list word values`, CAST(CAST(`t`.`word` AS STRING) AS STRING)), 0) - 1
  ) AS `sdc code 0`,
  (
    NULLIF(array_position(`t`.`sdc list code values`, CAST(CAST(`t`.`code` AS STRING) AS STRING)), 0) - 1
  ) AS `sdc code 1`,
  CAST(conv(substr(`t`.`sdc digest 0`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw 0 0`,
  CAST(conv(substr(`t`.`sdc digest 0`, 17, 8), 16, 10) AS BIGINT) AS `sdc draw 0 1`
  FROM (
    SELECT `t`.*,
    sha2(
      concat(
        'b4d2591ab9d81ba32310aed3adb86fcd:0:',
        coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
      ),
      256
    ) AS `sdc digest 0`,
    (SELECT `word values` FROM `p`) AS `sdc list word values`,
    (SELECT `word thresholds` FROM `p`) AS `sdc list word thresholds`,
    (SELECT `word moves` FROM `p`) AS `sdc list word moves`,
    (SELECT `code values` FROM `p`) AS `sdc list code values`,
    (SELECT `code thresholds` FROM `p`) AS `sdc list code thresholds`,
    (SELECT `code moves` FROM `p`) AS `sdc list code moves`
    FROM `people` AS `t`
  ) AS `t`
) AS `t`
