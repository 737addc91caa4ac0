-- coding of whole, {top: 95%, bottom: 5%}
SELECT CASE
  WHEN `t`.`whole` IS NULL THEN NULL
  ELSE CASE
    WHEN CAST(`t`.`whole` AS DOUBLE) > 96.0e0 THEN CAST(RINT(96.0e0) AS INT)
    WHEN CAST(`t`.`whole` AS DOUBLE) < 5.0e0 THEN CAST(RINT(5.0e0) AS INT)
    ELSE `t`.`whole`
  END
END AS `whole`,
`t`.`unbounded` AS `unbounded`, `t`.`word` AS `word`, `t`.`many words` AS `many words`,
`t`.`one word` AS `one word`, `t`.`flag` AS `flag`, `t`.`letter` AS `letter`, `t`.`day` AS `day`,
`t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM `people` AS `t`
