package bench

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
)

// usage is what something has cost: on AWS the database is a machine of its own, so that the time
// that passes here, where all share the cores, says little about there.
type usage struct {
	Postgres time.Duration `json:"postgres"` // processor time of the server, of all its processes
	API      time.Duration `json:"api"`      // of the API's function
	Process  time.Duration `json:"process"`  // of those that write chunks
	Steps    time.Duration `json:"steps"`    // of all other functions
	Local    time.Duration `json:"local"`    // of what stands in for AWS, and of the bench itself
	WAL      int64         `json:"wal"`      // bytes
	Buffers  int64         `json:"buffers"`  // pages that statements have looked at; 0 where nobody counts
	Calls    int64         `json:"calls"`    // statements
}

// functionsCPU is the processor time of Loadbay's functions.
func (u usage) functionsCPU() time.Duration { return u.API + u.Process + u.Steps }

// meter reads what has been used so far.
type meter struct {
	bench      *bench
	statements *pgx.Conn // to where the server's counts can be read; nil where there are none
}

// newMeter finds out whether the server counts what statements cost.
func newMeter(ctx context.Context, b *bench) (*meter, error) {
	address, err := url.Parse(b.url)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	address.Path = "/postgres" // the product's own database stays as it is deployed
	m := &meter{bench: b}
	conn, err := pgx.Connect(ctx, address.String())
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	if _, err := conn.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements; SELECT FROM pg_stat_statements LIMIT 1"); err != nil {
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

// current is what the stack has used since it started.
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
		return u, fmt.Errorf("bench: size of the log: %w", err)
	}
	if m.statements == nil {
		return u, nil
	}
	err = m.statements.QueryRow(ctx, `
		SELECT coalesce(sum(shared_blks_hit + shared_blks_read), 0)::bigint, coalesce(sum(calls), 0)::bigint
		FROM pg_stat_statements`).Scan(&u.Buffers, &u.Calls)
	if err != nil {
		return u, fmt.Errorf("bench: what statements cost: %w", err)
	}
	return u, nil
}

// measure is what f uses, and how long it takes. What has been written before is not written to the
// disk meanwhile.
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

// timedUsage is how long something took and what it used.
type timedUsage struct {
	took  time.Duration
	usage usage
}

// sub is what was used since before.
func (u usage) sub(before usage) usage {
	return usage{
		Postgres: u.Postgres - before.Postgres, API: u.API - before.API, Process: u.Process - before.Process, Steps: u.Steps - before.Steps,
		Local: u.Local - before.Local, WAL: u.WAL - before.WAL, Buffers: u.Buffers - before.Buffers, Calls: u.Calls - before.Calls,
	}
}
