-- suppression of whole, {share: 5%}
SELECT CASE
  WHEN `t`.`whole` IS NULL THEN NULL
  ELSE CASE WHEN `t`.`sdc draw bits 0 0 32` < 214748365 THEN CAST(NULL AS INT) ELSE `t`.`whole` END
END AS `whole`,
`t`.`unbounded` AS `unbounded`, `t`.`word` AS `word`, `t`.`many words` AS `many words`,
`t`.`one word` AS `one word`, `t`.`flag` AS `flag`, `t`.`letter` AS `letter`, `t`.`day` AS `day`,
`t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*, CAST(conv(substr(`t`.`sdc digest bits 0`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 0 32`
  FROM (
    SELECT `t`.*,
    sha2(
      concat(
        'b4d2591ab9d81ba32310aed3adb86fcd:bits 0:',
        coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
      ),
      256
    ) AS `sdc digest bits 0`
    FROM `people` AS `t`
  ) AS `t`
) AS `t`
