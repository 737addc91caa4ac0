-- rpt of word, {}
WITH `p` AS (
  SELECT from_json(
    '["NULL", "a \\"b\\"", "blüe", "gr\'een", "red"]', 'ARRAY<STRING>', map('mode', 'FAILFAST')
  ) AS `word values`,
  from_json(
    '[2, 2, 2, 2, 2, 2, 5, 5, 5, 5, 1, 2, 5, 3, 4, 1, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2]',
    'ARRAY<BIGINT>', map('mode', 'FAILFAST')
  ) AS `word outcomes`,
  from_json(
    '[4611686018427387904, 4611686018427387904, 4611686018427387904, 4611686018427387904, 941806204875438277, 4611686018427387904, 4611686018427387904, 4611686018427387904, 221530101234102267, 346199159754189519, 691763260313141573, 2123111072498752601, 3590981476965416380, 4611686018427387904, 4611686018427387904, 4611686018427387904, 4611686018427387904, 4611686018427387904, 4611686018427387904, 4611686018427387904, 4611686018427387904, 4611686018427387904, 4611686018427387904, 4611686018427387904, 944387816539036703, 4611686018427387904, 4611686018427387904, 4611686018427387904]',
    'ARRAY<BIGINT>', map('mode', 'FAILFAST')
  ) AS `word ends`
)
SELECT `t`.`unbounded` AS `unbounded`,
CAST(
  get(
    `t`.`sdc list word values`,
    CAST(
      get(
        `t`.`sdc list word outcomes`,
        CAST(
          CAST((NOT `t`.`word` IS NULL) AS BIGINT) * (
            (CAST(`t`.`sdc once leaf word c31228da3a76` AS BIGINT) * 5) + 1 + CAST(
              (
                (
                  (`t`.`sdc draw bits 0 0 32` * 1073741824) + (SHIFTRIGHT(`t`.`sdc draw bits 0 32 32`, 2))
                ) >= get(
                  `t`.`sdc list word ends`,
                  CAST((CAST(`t`.`sdc once leaf word c31228da3a76` AS BIGINT) * 4) + 1 AS INT) - 1
                )
              ) AS BIGINT
            ) + CAST(
              (
                (
                  (`t`.`sdc draw bits 0 0 32` * 1073741824) + (SHIFTRIGHT(`t`.`sdc draw bits 0 32 32`, 2))
                ) >= get(
                  `t`.`sdc list word ends`,
                  CAST((CAST(`t`.`sdc once leaf word c31228da3a76` AS BIGINT) * 4) + 2 AS INT) - 1
                )
              ) AS BIGINT
            ) + CAST(
              (
                (
                  (`t`.`sdc draw bits 0 0 32` * 1073741824) + (SHIFTRIGHT(`t`.`sdc draw bits 0 32 32`, 2))
                ) >= get(
                  `t`.`sdc list word ends`,
                  CAST((CAST(`t`.`sdc once leaf word c31228da3a76` AS BIGINT) * 4) + 3 AS INT) - 1
                )
              ) AS BIGINT
            ) + CAST(
              (
                (
                  (`t`.`sdc draw bits 0 0 32` * 1073741824) + (SHIFTRIGHT(`t`.`sdc draw bits 0 32 32`, 2))
                ) >= get(
                  `t`.`sdc list word ends`,
                  CAST((CAST(`t`.`sdc once leaf word c31228da3a76` AS BIGINT) * 4) + 4 AS INT) - 1
                )
              ) AS BIGINT
            )
          ) AS INT
        ) - 1
      ) AS INT
    ) - 1
  ) AS STRING
) AS `word`,
`t`.`many words` AS `many words`, `t`.`one word` AS `one word`, `t`.`flag` AS `flag`,
`t`.`letter` AS `letter`, `t`.`day` AS `day`, `t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*,
  CASE
    WHEN `t`.`whole` > 55 THEN CASE
      WHEN `t`.`whole` <= 74 THEN 3
      ELSE CASE
        WHEN CAST(`t`.`unbounded` AS DOUBLE) <= 339.0e0 THEN 4
        ELSE CASE WHEN CAST(`t`.`real` AS DOUBLE) <= (-3.0983311681822725e0) THEN 5 ELSE 6 END
      END
    END
    ELSE CASE
      WHEN `t`.`whole` <= 21 THEN CASE WHEN CAST(`t`.`unbounded` AS DOUBLE) <= 295.0e0 THEN 0 ELSE 1 END
      ELSE 2
    END
  END AS `sdc once leaf word c31228da3a76`
  FROM (
    SELECT `t`.*,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 0 32`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 17, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 32 32`
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
      (SELECT `word outcomes` FROM `p`) AS `sdc list word outcomes`,
      (SELECT `word ends` FROM `p`) AS `sdc list word ends`
      FROM `people` AS `t`
    ) AS `t`
  ) AS `t`
) AS `t`
