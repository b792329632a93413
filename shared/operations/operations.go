// Package operations is the operator's view of an installation: the work of all organisations
// by state and age (imports, exports, erasures of personal data), the queues and their dead
// letters, and what an operator can do about stuck work: queue the open chunks of an import, or an
// export, again, and return dead letters to their queue or discard them.
//
// It shows ids, states, counts and times, and never the contents of a file. Each action may be
// repeated, and is logged with the operator who requested it.
//
// Tested by shared/httpapi: the routes over a real database.
package operations

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Store is the database, connected as the role loadbay_operator.
type Store interface {
	AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error
	OperatorImports(ctx context.Context, tx pgx.Tx, f ImportFilter) ([]Import, int64, error)
	OperatorImport(ctx context.Context, tx pgx.Tx, id job.ID, still time.Duration) (*Import, error)
	OpenChunks(ctx context.Context, tx pgx.Tx, key job.Key) ([]int, error)
	OperatorExports(ctx context.Context, tx pgx.Tx, f ExportFilter) ([]Export, int64, error)
	OperatorExport(ctx context.Context, tx pgx.Tx, id job.ExportID, still time.Duration) (*Export, error)
	OpenErasures(ctx context.Context, tx pgx.Tx, p job.Page) ([]Erasure, int64, error)
	Overview(ctx context.Context, tx pgx.Tx, still time.Duration) (*Overview, error)
	WaitingSince(ctx context.Context, tx pgx.Tx) (Waiting, error)
}

// Executions looks up the statuses of executions.
type Executions interface {
	Status(ctx context.Context, id job.ID) (job.ExecutionStatus, error)
}

// Reconciler requests a complete run of reconcile within a minute.
type Reconciler interface {
	Raise(ctx context.Context) error
}

// Queues are the queues of an installation.
type Queues struct{ Rows, Exports, Fetches, Webhooks, Events QueuePair }

// QueuePair is a queue with its dead-letter queue. Work is nil for work that arrives without a
// queue.
type QueuePair struct{ Work, Dead Queue }

// Queue provides access to the messages of a queue.
type Queue interface {
	Depth(ctx context.Context) (Depth, error)
	// Receive returns up to most messages: all, if there are few. Each stays hidden from other
	// consumers until it is released.
	Receive(ctx context.Context, most int) ([]Message, error)
	Release(ctx context.Context, l Message) error
	Delete(ctx context.Context, l Message) error
	// SendRaw sends an unchanged message of an organisation, or of none if it is 0.
	SendRaw(ctx context.Context, body string, organisation tenant.ID) error
}

// Senders queue work for the functions.
type Senders interface {
	SendChunks(ctx context.Context, ref job.Ref, chunks []int) error
	SendExport(ctx context.Context, ref job.ExportRef) error
	SendFetch(ctx context.Context, ref job.Ref) error
}

// Config sets the stuck threshold.
type Config struct {
	// StuckAfter is the time without progress after which work that needs no person is stuck.
	StuckAfter time.Duration `env:"STUCK_AFTER" default:"15m"`
}

// Validate rejects a threshold below which everything would be stuck.
func (c *Config) Validate() error {
	if c.StuckAfter < time.Second {
		return errors.New("STUCK_AFTER is less than a second")
	}
	return nil
}

// Parts are the dependencies of the service; all are required.
type Parts struct {
	Store      Store
	Executions Executions
	Reconciler Reconciler
	Queues     Queues
	Senders    Senders
	Log        *slog.Logger
}

// Service shows the work and carries out an operator's actions.
type Service struct {
	Parts
	config Config
}

// New returns the service.
func New(p Parts, c Config) *Service { return &Service{p, c} }

// audit logs an action. by is the subject of the caller's token.
func (s *Service) audit(ctx context.Context, action, by string, more ...any) {
	s.Log.InfoContext(ctx, "operator", append([]any{"action", action, "by", by}, more...)...)
}
