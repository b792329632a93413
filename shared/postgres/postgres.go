// Package postgres stores jobs, chunks, mappings and results in Postgres. Its methods take
// the transaction that they belong to, so that callers decide what is atomic; SQL is next to
// the method that runs it.
package postgres

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/runtime/outage"
)

// Config is the configuration of the database connection.
type Config struct {
	URL string
	// Connections is the maximum number of connections of one instance. A Lambda instance does
	// one thing at a time.
	Connections int
	// Password is called for every new connection if passwords are tokens that expire; nil if
	// the URL contains one.
	Password func(ctx context.Context) (string, error)
	// Authorities are the accepted certificate authorities of the server; nil leaves it to the
	// URL.
	Authorities *x509.CertPool
	// ConnectTimeout limits the time for opening a connection, including that of waking up a
	// sleeping server; 0 is defaultConnectTimeout.
	ConnectTimeout time.Duration
	// BeforeCommit is called before every commit except those of snapshots, which write
	// nothing; an error rolls back. nil if other processes never have to complete the work.
	BeforeCommit func(ctx context.Context) error
}

// defaultConnectTimeout is for a server that is awake.
const defaultConnectTimeout = 10 * time.Second

// DB is a pool of connections.
type DB struct {
	pool         *pgxpool.Pool
	beforeCommit func(ctx context.Context) error
	changes      changeset.Encoder
	lastUsed     atomic.Int64 // Unix time in nanoseconds
}

// Open returns a pool that connects on first use.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	c, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("parse database address: %w", errors.Unwrap(err)) // the outer error contains the password
	}
	c.MaxConns = int32(max(cfg.Connections, 1))
	c.ConnConfig.ConnectTimeout = cmp.Or(cfg.ConnectTimeout, defaultConnectTimeout)
	if cfg.Authorities != nil {
		TrustAuthorities(&c.ConnConfig.Config, cfg.Authorities)
	}
	if cfg.Password != nil {
		c.BeforeConnect = func(ctx context.Context, connection *pgx.ConnConfig) (err error) {
			connection.Password, err = cfg.Password(ctx)
			return err
		}
	}
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("create database pool: %w", err)
	}
	return &DB{pool: pool, beforeCommit: cfg.BeforeCommit}, nil
}

// Close closes all connections.
func (db *DB) Close() { db.pool.Close() }

// LastUsed returns when this process has last begun a transaction.
func (db *DB) LastUsed() time.Time { return time.Unix(0, db.lastUsed.Load()) }

// Ping returns the reason why the database cannot be reached, or nil.
func (db *DB) Ping(ctx context.Context) error { return db.pool.Ping(ctx) }

// Now returns the time of the database clock, which decides whether something has expired, as
// the clocks of functions may differ.
func (db *DB) Now(ctx context.Context) (now time.Time, err error) {
	if err := db.pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now); err != nil {
		return time.Time{}, fmt.Errorf("read database time: %w", err)
	}
	return now, nil
}

// InOrganisation runs f in a transaction that can read and write only the organisation's
// data. The organisation is set in the same round trip that begins the transaction.
func (db *DB) InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error {
	begin := fmt.Sprintf("BEGIN; SELECT set_config('app.organisation', '%d', true)", organisation)
	return db.inTx(ctx, pgx.TxOptions{BeginQuery: begin}, db.withBeforeCommit(ctx, f))
}

// InSnapshot is InOrganisation for reading only: all reads of f see the same snapshot.
func (db *DB) InSnapshot(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error {
	begin := fmt.Sprintf("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT set_config('app.organisation', '%d', true)", organisation)
	return db.inTx(ctx, pgx.TxOptions{BeginQuery: begin}, f)
}

// SetIdleTimeout limits the time that the transaction may be idle, instead of the role's
// default.
func (db *DB) SetIdleTimeout(ctx context.Context, tx pgx.Tx, limit time.Duration) error {
	return setTimeout(ctx, tx, "idle_in_transaction_session_timeout", limit)
}

// setTimeout sets one of the server's timeouts for the rest of the transaction.
func setTimeout(ctx context.Context, tx pgx.Tx, timeout string, limit time.Duration) error {
	_, err := tx.Exec(ctx, `SELECT set_config($1, $2, true)`, timeout, strconv.FormatInt(max(limit.Milliseconds(), 1), 10))
	if err != nil {
		return fmt.Errorf("set %s: %w", timeout, err)
	}
	return nil
}

// AcrossOrganisations runs f in a transaction of no organisation. It can read what the
// connection's role may read: the job data of all organisations, and no entities.
func (db *DB) AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error {
	return db.inTx(ctx, pgx.TxOptions{}, db.withBeforeCommit(ctx, f))
}

// withBeforeCommit returns f followed by BeforeCommit.
func (db *DB) withBeforeCommit(ctx context.Context, f func(pgx.Tx) error) func(pgx.Tx) error {
	if db.beforeCommit == nil {
		return f
	}
	return func(tx pgx.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		return db.beforeCommit(ctx)
	}
}

// maxAttempts is the maximum number of attempts of a transaction that conflicts with others.
const maxAttempts = 4

func (db *DB) inTx(ctx context.Context, options pgx.TxOptions, f func(pgx.Tx) error) error {
	db.lastUsed.Store(time.Now().UnixNano())
	for attempt := 1; ; attempt++ {
		err := pgx.BeginTxFunc(ctx, db.pool, options, f)
		if attempt == maxAttempts || !outage.Contended(err) || !backoff(ctx, attempt) {
			return err
		}
	}
}
