-- vicus of word, {k1: 5, k2: 20}
WITH `p` AS (
  SELECT from_json(
    '["NULL", "a \\"b\\"", "blüe", "gr\'een", "red"]', 'ARRAY<STRING>', map('mode', 'FAILFAST')
  ) AS `word values`,
  from_json(
    '[65536, 46154, 2313, 46152, 2311, 46150, 65536, 2313, 46152, 2311, 3150, 3154, 65536, 3152, 3151, 46150, 46154, 2313, 65536, 2311, 3150, 3154, 3153, 3152, 65536]',
    'ARRAY<BIGINT>', map('mode', 'FAILFAST')
  ) AS `word thresholds`,
  from_json(
    '[0, -1, -2, -3, -4, 1, 0, -1, -2, -3, 2, 1, 0, -1, -2, 3, 2, 1, 0, -1, 4, 3, 2, 1, 0]', 'ARRAY<BIGINT>',
    map('mode', 'FAILFAST')
  ) AS `word moves`
)
SELECT `t`.`unbounded` AS `unbounded`,
CAST(
  get(
    `t`.`sdc list word values`,
    CAST(
      (SHIFTRIGHT((`t`.`sdc draw bits 0 0 16` * 5), 16)) + 1 + CAST(
        (
          ((`t`.`sdc draw bits 0 0 16` * 5) & 65535) >= get(
            `t`.`sdc list word thresholds`,
            CAST(
              (
                SHIFTRIGHT((`t`.`sdc draw bits 0 0 16` * 5), 16)
              ) + ((CAST(`t`.`sdc code 0` AS INT) * 5) + 1) AS INT
            ) - 1
          )
        ) AS BIGINT
      ) * get(
        `t`.`sdc list word moves`,
        CAST(
          (
            SHIFTRIGHT((`t`.`sdc draw bits 0 0 16` * 5), 16)
          ) + ((CAST(`t`.`sdc code 0` AS INT) * 5) + 1) AS INT
        ) - 1
      ) AS INT
    ) - 1
  ) AS STRING
) AS `word`,
`t`.`many words` AS `many words`, `t`.`one word` AS `one word`, `t`.`flag` AS `flag`,
`t`.`letter` AS `letter`, `t`.`day` AS `day`, `t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*,
  (
    NULLIF(array_position(`t`.`sdc list word values`, CAST(CAST(`t`.`word` AS STRING) AS STRING)), 0) - 1
  ) AS `sdc code 0`,
  CAST(conv(substr(`t`.`sdc digest bits 0`, 29, 4), 16, 10) AS BIGINT) AS `sdc draw bits 0 0 16`
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
    (SELECT `word moves` FROM `p`) AS `sdc list word moves`
    FROM `people` AS `t`
  ) AS `t`
) AS `t`
