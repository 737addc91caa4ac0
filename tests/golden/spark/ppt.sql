-- ppt of word, {}
WITH `p` AS (
  SELECT from_json(
    '["NULL", "a \\"b\\"", "blüe", "gr\'een", "red"]', 'ARRAY<STRING>', map('mode', 'FAILFAST')
  ) AS `word values`,
  from_json(
    '[0, 65536, 0, 0, 0, 0, 65536, 0, 0, 58251, 13110, 13109, 65536, 52427, 65536, 65536, 0, 50978, 0, 0, 65536, 0, 0, 0, 0, 65536, 0, 0, 0, 0, 46810, 65536, 0, 0, 0]',
    'ARRAY<BIGINT>', map('mode', 'FAILFAST')
  ) AS `word thresholds`,
  from_json(
    '[1, 0, -1, -2, -3, 4, 0, 2, 1, -3, 3, 2, 0, -1, 0, 0, -1, -2, -1, -2, 0, -1, -2, -3, -4, 0, -1, -2, -3, -4, 1, 0, -1, -2, -3]',
    'ARRAY<BIGINT>', map('mode', 'FAILFAST')
  ) AS `word moves`
)
SELECT `t`.`unbounded` AS `unbounded`,
CAST(
  get(
    `t`.`sdc list word values`,
    CAST(
      CAST((NOT `t`.`word` IS NULL) AS BIGINT) * (
        (SHIFTRIGHT((`t`.`sdc draw bits 0 0 16` * 5), 16)) + 1 + CAST(
          (
            ((`t`.`sdc draw bits 0 0 16` * 5) & 65535) >= get(
              `t`.`sdc list word thresholds`,
              CAST(
                (SHIFTRIGHT((`t`.`sdc draw bits 0 0 16` * 5), 16)) + (
                  (CAST(`t`.`sdc once leaf word c31228da3a76` AS INT) * 5) + 1
                ) AS INT
              ) - 1
            )
          ) AS BIGINT
        ) * get(
          `t`.`sdc list word moves`,
          CAST(
            (SHIFTRIGHT((`t`.`sdc draw bits 0 0 16` * 5), 16)) + (
              (CAST(`t`.`sdc once leaf word c31228da3a76` AS INT) * 5) + 1
            ) AS INT
          ) - 1
        )
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
) AS `t`
