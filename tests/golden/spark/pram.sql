-- pram of letter, {matrix: {'x': {'x': 0.8, 'y': 0.2}, 'y': {'y': 0.5, 'x': 0.25, 'z': 0.25}, 'z': {'z': 1}}}
WITH `p` AS (
  SELECT from_json('["x", "y", "z"]', 'ARRAY<STRING>', map('mode', 'FAILFAST')) AS `letter values`,
  from_json(
    '[65536, 39323, 0, 49152, 65536, 49153, 0, 0, 65536]', 'ARRAY<BIGINT>', map('mode', 'FAILFAST')
  ) AS `letter thresholds`,
  from_json('[0, -1, -2, 1, 0, -1, 2, 1, 0]', 'ARRAY<BIGINT>', map('mode', 'FAILFAST')) AS `letter moves`
)
SELECT `t`.`unbounded` AS `unbounded`, `t`.`word` AS `word`, `t`.`many words` AS `many words`,
`t`.`one word` AS `one word`, `t`.`flag` AS `flag`,
CAST(
  get(
    `t`.`sdc list letter values`,
    CAST(
      (SHIFTRIGHT((`t`.`sdc draw bits 0 0 16` * 3), 16)) + 1 + CAST(
        (
          ((`t`.`sdc draw bits 0 0 16` * 3) & 65535) >= get(
            `t`.`sdc list letter thresholds`,
            CAST(
              (
                SHIFTRIGHT((`t`.`sdc draw bits 0 0 16` * 3), 16)
              ) + ((CAST(`t`.`sdc code 0` AS INT) * 3) + 1) AS INT
            ) - 1
          )
        ) AS BIGINT
      ) * get(
        `t`.`sdc list letter moves`,
        CAST(
          (
            SHIFTRIGHT((`t`.`sdc draw bits 0 0 16` * 3), 16)
          ) + ((CAST(`t`.`sdc code 0` AS INT) * 3) + 1) AS INT
        ) - 1
      ) AS INT
    ) - 1
  ) AS STRING
) AS `letter`,
`t`.`day` AS `day`, `t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*,
  (
    NULLIF(array_position(`t`.`sdc list letter values`, CAST(CAST(`t`.`letter` AS STRING) AS STRING)), 0) - 1
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
    (SELECT `letter values` FROM `p`) AS `sdc list letter values`,
    (SELECT `letter thresholds` FROM `p`) AS `sdc list letter thresholds`,
    (SELECT `letter moves` FROM `p`) AS `sdc list letter moves`
    FROM `people` AS `t`
  ) AS `t`
) AS `t`
