-- The catalogue that sdcdb keeps inside a database, in the schema `sdc`.

CREATE SCHEMA IF NOT EXISTS sdc;

-- Which bits of a table's digests belong to which method, with its parameters, on which column. Never changed once
-- given: a refit must not draw anew, or two fits of the same table could be averaged.
CREATE TABLE IF NOT EXISTS sdc.bits (
    table_name VARCHAR NOT NULL,
    place VARCHAR NOT NULL,
    first_bit INTEGER NOT NULL, -- counted over all digests of a record, 256 bits each
    width INTEGER NOT NULL,
    half INTEGER NOT NULL, -- 1: the second of two normal numbers made of the same bits
    PRIMARY KEY (table_name, place)
);

-- The same for what was protected before there were bits: lanes of 32 bits. Nothing is added here.
CREATE TABLE IF NOT EXISTS sdc.lanes (
    table_name VARCHAR NOT NULL,
    place VARCHAR NOT NULL,
    lane INTEGER NOT NULL,
    draws INTEGER NOT NULL, -- 1 or 2 lanes; 3: a normal number, two of which share two lanes
    PRIMARY KEY (table_name, place)
);

-- One row per protected view: what was fitted, by which version, when, and on how many records.
CREATE TABLE IF NOT EXISTS sdc.plans (
    view_name VARCHAR PRIMARY KEY,
    table_name VARCHAR NOT NULL,
    plan JSON NOT NULL,
    sdcdb_version VARCHAR NOT NULL,
    fitted_at TIMESTAMP NOT NULL,
    fitted_rows BIGINT NOT NULL,
    kind VARCHAR NOT NULL
);
