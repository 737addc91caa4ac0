"""The query path: SQL text -> statement -> query sets -> rules -> ledger -> answer.

| module | holds |
|---|---|
| `screen`, `native`, `statement` | text that can be read in one way only; a statement as facts |
| `names`, `allowed`, `grouping`, `linear`, `measure`, `block` | the facts of one SELECT on a restricted table |
| `relations`, `cells`, `vault`, `tables`, `version` | what there is to ask about |
| `rules`, `decide`, `verdict` | what may be answered |
| `audit` | the maths: what all answers together tell |
| `layout`, `history`, `ledger` | what was answered before |
| `release`, `lobby`, `answer`, `gateway` | the way out |
"""
