// Package postgres keeps jobs, chunks, mappings and results in Postgres. Its
// methods take the transaction that they belong to, so that callers decide what
// is atomic; SQL is next to the method that runs it.
package postgres

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Config says how to reach the database.
type Config struct {
	URL string
	// Connections is the most that one instance holds. A Lambda instance does
	// one thing at a time.
	Connections int
	// Password is asked for every new connection, where passwords are tokens that
	// expire; nil where the URL holds one.
	Password func(ctx context.Context) (string, error)
	// Authorities are those whose certificates the server may show; nil leaves
	// it to the URL.
	Authorities *x509.CertPool
	// ConnectTimeout is how long the server may take to accept a connection, also one that
	// sleeps until it is asked; 0 is defaultConnectTimeout.
	ConnectTimeout time.Duration
	// BeforeCommit is called before every commit but those of snapshots, which write
	// nothing; an error rolls back. nil is for those whose work nobody has to finish.
	BeforeCommit func(ctx context.Context) error
}

// defaultConnectTimeout is for a server that is awake.
const defaultConnectTimeout = 10 * time.Second

// DB is a pool of connections.
type DB struct {
	pool         *pgxpool.Pool
	beforeCommit func(ctx context.Context) error
	changes      changeset.Encoder
}

// Open returns a pool that connects when it is first used.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	c, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("database address: %w", errors.Unwrap(err)) // the outer error repeats the password
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
		return nil, fmt.Errorf("database pool: %w", err)
	}
	return &DB{pool: pool, beforeCommit: cfg.BeforeCommit}, nil
}

// Close closes all connections.
func (db *DB) Close() { db.pool.Close() }

// Ping returns why the database cannot be reached, or nil.
func (db *DB) Ping(ctx context.Context) error { return db.pool.Ping(ctx) }

// Now is the time by the database's clock: the one that decides whether something
// has expired, as those of functions may differ.
func (db *DB) Now(ctx context.Context) (now time.Time, err error) {
	if err := db.pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now); err != nil {
		return time.Time{}, fmt.Errorf("database's time: %w", err)
	}
	return now, nil
}

// InOrganisation runs f in a transaction that sees and writes only what belongs
// to the organisation. The organisation is named in the same round trip that
// begins the transaction.
func (db *DB) InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error {
	begin := fmt.Sprintf("BEGIN; SELECT set_config('app.organisation', '%d', true)", organisation)
	return db.inTx(ctx, pgx.TxOptions{BeginQuery: begin}, db.withBeforeCommit(ctx, f))
}

// InSnapshot is InOrganisation for reading only: all that f reads is of one moment.
func (db *DB) InSnapshot(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error {
	begin := fmt.Sprintf("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT set_config('app.organisation', '%d', true)", organisation)
	return db.inTx(ctx, pgx.TxOptions{BeginQuery: begin}, f)
}

// SetIdleTimeout bounds how long the transaction may do nothing, where the role's own bound
// is not what is wanted.
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

// AcrossOrganisations runs f in a transaction of no organisation. What it sees is what
// the connection's role may see: the bookkeeping of all, and no entities.
func (db *DB) AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error {
	return db.inTx(ctx, pgx.TxOptions{}, db.withBeforeCommit(ctx, f))
}

// withBeforeCommit is f with what has to be called before its commit.
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

// maxAttempts is how often a transaction is run that lost against another one.
const maxAttempts = 4

func (db *DB) inTx(ctx context.Context, options pgx.TxOptions, f func(pgx.Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := pgx.BeginTxFunc(ctx, db.pool, options, f)
		if attempt == maxAttempts || !isRetryable(err) || !backoff(ctx, attempt) {
			return err
		}
	}
}

// isRetryable reports whether a transaction only failed because of another one:
// serialization failure or deadlock.
func isRetryable(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}
