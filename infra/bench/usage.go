package bench

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
)

// usage is the resources used by an operation. On AWS the database has its own machine, so
// elapsed time on this machine, where all processes share the cores, is a poor predictor.
type usage struct {
	Postgres time.Duration `json:"postgres"` // processor time of all processes of the server
	API      time.Duration `json:"api"`      // processor time of the API function
	Process  time.Duration `json:"process"`  // processor time of the functions that write chunks
	Steps    time.Duration `json:"steps"`    // processor time of all other functions
	Local    time.Duration `json:"local"`    // processor time of the local AWS endpoint and of the bench itself
	WAL      int64         `json:"wal"`      // bytes
	Buffers  int64         `json:"buffers"`  // pages accessed by statements; 0 without statistics
	Calls    int64         `json:"calls"`    // number of statements
}

// functionsCPU is the processor time of Loadbay's functions.
func (u usage) functionsCPU() time.Duration { return u.API + u.Process + u.Steps }

// meter reads the resources used so far.
type meter struct {
	bench      *bench
	statements *pgx.Conn // for reading the server's statement statistics; nil without them
}

// newMeter detects whether the server collects statement statistics.
func newMeter(ctx context.Context, b *bench) (*meter, error) {
	address, err := url.Parse(b.url)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	address.Path = "/postgres" // leaves the product's own database as it is deployed
	m := &meter{bench: b}
	conn, err := pgx.Connect(ctx, address.String())
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	// The owner's search path contains only the product's schemas, which this database does not have.
	if _, err := conn.Exec(ctx, "SET search_path = public; CREATE EXTENSION IF NOT EXISTS pg_stat_statements; SELECT FROM pg_stat_statements LIMIT 1"); err != nil {
		return m, conn.Close(ctx)
	}
	m.statements = conn
	return m, nil
}

func (m *meter) close(ctx context.Context) error {
	if m.statements == nil {
		return nil
	}
	return m.statements.Close(ctx)
}

// current returns the resources used since the stack started.
func (m *meter) current(ctx context.Context) (u usage, err error) {
	figures := m.bench.stack.Stats()
	for name, f := range figures.Functions {
		switch name {
		case "api":
			u.API += f.CPU
		case "process":
			u.Process += f.CPU
		default:
			u.Steps += f.CPU
		}
	}
	u.Postgres, u.Local = figures.CPU["postgres"], figures.CPU["stack"]+figures.CPU["s3"]
	if err := m.bench.database.QueryRow(ctx, "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint").Scan(&u.WAL); err != nil {
		return u, fmt.Errorf("bench: read size of log: %w", err)
	}
	if m.statements == nil {
		return u, nil
	}
	err = m.statements.QueryRow(ctx, `
		SELECT coalesce(sum(shared_blks_hit + shared_blks_read), 0)::bigint, coalesce(sum(calls), 0)::bigint
		FROM pg_stat_statements`).Scan(&u.Buffers, &u.Calls)
	if err != nil {
		return u, fmt.Errorf("bench: read statement statistics: %w", err)
	}
	return u, nil
}

// measure returns the resources and the time that f uses. It first flushes earlier writes to the
// disk, so that they do not count.
func (m *meter) measure(ctx context.Context, f func() error) (timedUsage, error) {
	if _, err := m.bench.database.Exec(ctx, "CHECKPOINT"); err != nil {
		return timedUsage{}, fmt.Errorf("bench: %w", err)
	}
	before, err := m.current(ctx)
	if err != nil {
		return timedUsage{}, err
	}
	began := time.Now()
	if err := f(); err != nil {
		return timedUsage{}, err
	}
	took := time.Since(began)
	after, err := m.current(ctx)
	return timedUsage{took: took, usage: after.sub(before)}, err
}

// timedUsage is the duration of an operation and the resources it used.
type timedUsage struct {
	took  time.Duration
	usage usage
}

// sub returns the difference to an earlier usage.
func (u usage) sub(before usage) usage {
	return usage{
		Postgres: u.Postgres - before.Postgres, API: u.API - before.API, Process: u.Process - before.Process, Steps: u.Steps - before.Steps,
		Local: u.Local - before.Local, WAL: u.WAL - before.WAL, Buffers: u.Buffers - before.Buffers, Calls: u.Calls - before.Calls,
	}
}
