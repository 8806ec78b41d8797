-- Ten questions that people ask about an archive, for DuckDB. First, in this folder:
--   postrider archive export GAMES > games.json
--   postrider archive export GAMES --entries > entries.json
-- then: duckdb < queries.sql

-- The columns are given, because a reader that guesses them from the first rows guesses wrong where faults come late.
create or replace view games as select * from read_json('games.json', format = 'newline_delimited', columns = {
    path: 'VARCHAR', id: 'VARCHAR', game: 'VARCHAR', edition: 'BIGINT', title: 'VARCHAR', options: 'VARCHAR', secrecy: 'VARCHAR',
    first_side: 'VARCHAR', first_name: 'VARCHAR', first_key: 'VARCHAR', second_side: 'VARCHAR', second_name: 'VARCHAR',
    second_key: 'VARCHAR', started: 'DATE', ended: 'TIMESTAMP', entries: 'BIGINT', result: 'VARCHAR', winner: 'VARCHAR',
    how: 'VARCHAR', verdict: 'VARCHAR', signatures: 'VARCHAR', declared: 'VARCHAR', owed_by: 'VARCHAR', owed: 'VARCHAR', first_seconds: 'BIGINT', second_seconds: 'BIGINT',
    fault_rule: 'VARCHAR', fault_entry: 'BIGINT', fault: 'VARCHAR'
});
create or replace view entries as select * from read_json('entries.json', format = 'newline_delimited', columns = {
    path: 'VARCHAR', id: 'VARCHAR', game: 'VARCHAR', number: 'BIGINT', side: 'VARCHAR', actions: 'VARCHAR', time: 'TIMESTAMP',
    clock_left: 'BIGINT', message: 'VARCHAR', signed: 'BOOLEAN'
});

-- A Parquet file (`postrider archive export GAMES --parquet > games.parquet`) has its types in it:
--   create or replace view games as select * from 'games.parquet';

-- 1. How many games of each kind are there, and how do they stand?
select game, verdict, count(*) as games, sum(entries) as entries from games group by all order by all;

-- 2. Who wins, by game and side?
select game, winner, count(*) as games, round(100.0 * count(*) / sum(count(*)) over (partition by game), 1) as percent
from games where verdict = 'legal' and winner is not null group by game, winner order by game, games desc, winner;

-- 3. How do games end?
select game, how, count(*) as games from games where verdict = 'legal' and how is not null group by all order by game, games desc, how;

-- 4. Which first two entries are played most often, and how do those games end?
with openings as (
    select path, id, string_agg(actions, ' / ' order by number) as opening from entries where number <= 2 group by path, id
)
select g.game, o.opening, count(*) as games, count(*) filter (g.winner = g.first_side) as first_wins,
       count(*) filter (g.winner = g.second_side) as second_wins, count(*) filter (g.winner = 'draw') as draws
from openings o join games g using (path, id) where g.verdict = 'legal' group by all order by games desc, g.game, o.opening limit 20;

-- 5. Which are the longest games?
select path, game, entries, result from games where verdict = 'legal' order by entries desc, path limit 10;

-- 6. Who loses on time?
select case when winner = first_side then second_name else first_name end as player, count(*) as lost_on_time
from games where verdict = 'legal' and how = 'time' group by player order by lost_on_time desc, player;

-- 7. Who has signed?
select game, signatures, count(*) as games from games where verdict = 'legal' group by all order by all;

-- 8. Which rule is broken most?
select game, coalesce(fault_rule, verdict) as rule, count(*) as records from games where verdict <> 'legal' group by all
order by records desc, game, rule;

-- 9. How long do players think?
select game, round(median(seconds) / 3600, 1) as median_hours, round(max(seconds) / 86400, 1) as longest_days
from (select game, epoch(time) - epoch(lag(time) over (partition by path, id order by number)) as seconds
      from entries where time is not null)
where seconds is not null group by game order by game;

-- 10. Who has played most, and how often has each won?
with seats as (
    select coalesce(first_key, first_name) as player, first_name as name, winner = first_side as won from games
    where verdict = 'legal' and winner is not null
    union all
    select coalesce(second_key, second_name), second_name, winner = second_side from games where verdict = 'legal' and winner is not null
)
select max(name) as name, count(*) as games, count(*) filter (won) as won from seats group by player order by games desc, name limit 20;
