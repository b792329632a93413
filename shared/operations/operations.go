// Package operations is what the operator of an installation sees of the work of all
// organisations, and does about what stands still: imports, exports and erasures by state
// and age, the queues, and the messages that nobody could handle.
//
// It shows ids, states, counts and times, and never what is in a file. Each action may be
// repeated, and is logged with who asked for it.
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

// Page is a part of a list.
type Page struct{ Offset, Limit int64 }

// Store is the database, connected as the role loadbay_operator.
type Store interface {
	AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error
	OperatorImports(ctx context.Context, tx pgx.Tx, f ImportFilter) ([]Import, int64, error)
	OperatorImport(ctx context.Context, tx pgx.Tx, id job.ID, still time.Duration) (*Import, error)
	OpenChunks(ctx context.Context, tx pgx.Tx, key job.Key) ([]int, error)
	OperatorExports(ctx context.Context, tx pgx.Tx, f ExportFilter) ([]Export, int64, error)
	OperatorExport(ctx context.Context, tx pgx.Tx, id job.ExportID, still time.Duration) (*Export, error)
	OpenErasures(ctx context.Context, tx pgx.Tx, p Page) ([]Erasure, int64, error)
	Overview(ctx context.Context, tx pgx.Tx, still time.Duration) (*Overview, error)
	WaitingSince(ctx context.Context, tx pgx.Tx) (Waiting, error)
}

// Executions tells where the executions of imports stand.
type Executions interface {
	Status(ctx context.Context, id job.ID) (job.ExecutionStatus, error)
}

// Reconciler has reconcile look at everything within a minute.
type Reconciler interface {
	Raise(ctx context.Context) error
}

// Queues are the queues of an installation.
type Queues struct{ Rows, Exports, Fetches, Webhooks, Events QueuePair }

// QueuePair is a queue and where its messages go that nobody could handle. Work is nil for what
// comes without a queue.
type QueuePair struct{ Work, Dead Queue }

// Queue is a queue, as far as it can be looked at from outside.
type Queue interface {
	Depth(ctx context.Context) (Depth, error)
	// Letters are some of its messages: all, where they are few. Each stays hidden from
	// others until it is released.
	Receive(ctx context.Context, most int) ([]Message, error)
	Release(ctx context.Context, l Message) error
	Delete(ctx context.Context, l Message) error
	// Put sends a message of an organisation as it was; 0 is of none.
	SendRaw(ctx context.Context, body string, organisation tenant.ID) error
}

// Senders bring work to the functions again.
type Senders interface {
	SendChunks(ctx context.Context, ref job.Ref, chunks []int) error
	SendExport(ctx context.Context, ref job.ExportRef) error
	SendFetch(ctx context.Context, ref job.Ref) error
}

// Config says what stands still.
type Config struct {
	// Still is after how long without progress what needs no person is stuck.
	StuckAfter time.Duration `env:"STUCK_AFTER" default:"15m"`
}

// Validate refuses what would call everything stuck.
func (c *Config) Validate() error {
	if c.StuckAfter < time.Second {
		return errors.New("STUCK_AFTER is less than a second")
	}
	return nil
}

// Parts are what the service works with; all are needed.
type Parts struct {
	Store      Store
	Executions Executions
	Reconciler Reconciler
	Queues     Queues
	Senders    Senders
	Log        *slog.Logger
}

// Service shows what there is, and does what an operator asks for.
type Service struct {
	Parts
	config Config
}

// New returns the service.
func New(p Parts, c Config) *Service { return &Service{p, c} }

// audit logs what was done. by is the subject of the caller's token.
func (s *Service) audit(ctx context.Context, action, by string, more ...any) {
	s.Log.InfoContext(ctx, "operator", append([]any{"action", action, "by", by}, more...)...)
}
