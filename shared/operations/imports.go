package operations

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Stuck is the reason why something makes no progress by itself, or "".
type Stuck string

// The reasons.
const (
	// NoProgress is work that needs no person, without any activity for too long.
	NoProgress Stuck = "NO_PROGRESS"
	// Overdue is an import that has waited too long for a person or for a file.
	Overdue Stuck = "OVERDUE"
	// ExecutionEnded is an import that is open although its execution has ended.
	ExecutionEnded Stuck = "EXECUTION_ENDED"
)

// WaitLimit is the maximum time that an import may wait for a person or a file.
const WaitLimit = 90 * 24 * time.Hour

// Import is an operator's view of an import.
type Import struct {
	Key           job.Key
	ID            job.ID
	Organisation  tenant.ID
	ImportType    string
	Purpose       string // IMPORT, PLAN or UNDO
	Status        job.Status
	CreatedAt     time.Time
	UpdatedAt     time.Time
	CompletedAt   *time.Time
	TotalRows     int64
	ProcessedRows int64
	ErrorRows     int64
	ChunksDone    int
	ChunkTotal    int
	SplitComplete bool
	Fetching      bool // its file is to be fetched from a URL
	FailureCode   string
	Stuck         Stuck
	Idle          bool                // no activity for as long as a stuck import
	Execution     job.ExecutionStatus // "" if not looked up: for imports that have ended or are active
}

// Ref returns the reference used in messages.
func (i *Import) Ref() job.Ref { return job.Ref{JobID: i.ID, OrganisationID: i.Organisation} }

// ImportFilter narrows and sorts a list of imports; zero values match all.
type ImportFilter struct {
	Organisation tenant.ID
	ImportType   string
	Statuses     []job.Status
	Stuck        bool // only stuck ones
	OldestFirst  bool // by last activity; otherwise the newest first
	StuckAfter   time.Duration
	job.Page
}

// Imports lists imports of all organisations, and their total number.
func (s *Service) Imports(ctx context.Context, f ImportFilter) (found []Import, total int64, err error) {
	f.StuckAfter = s.config.StuckAfter
	err = s.Store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		found, total, err = s.Store.OperatorImports(ctx, tx, f)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	return found, total, s.loadExecutions(ctx, found)
}

// Import returns one import, or NOT_FOUND.
func (s *Service) Import(ctx context.Context, id job.ID) (*Import, error) {
	one, err := s.loadImport(ctx, id)
	if err != nil {
		return nil, err
	}
	err = s.loadExecution(ctx, one)
	return one, err
}

func (s *Service) loadImport(ctx context.Context, id job.ID) (found *Import, err error) {
	err = s.Store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		found, err = s.Store.OperatorImport(ctx, tx, id, s.config.StuckAfter)
		return err
	})
	return found, err
}

// maxConcurrentLookups limits the concurrent lookups of executions.
const maxConcurrentLookups = 8

// loadExecutions looks up the execution statuses of open and idle imports.
func (s *Service) loadExecutions(ctx context.Context, found []Import) error {
	faults := make([]error, len(found))
	room := make(chan struct{}, maxConcurrentLookups)
	var all sync.WaitGroup
	for i := range found {
		all.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			if found[i].Idle {
				faults[i] = s.loadExecution(ctx, &found[i])
			}
		})
	}
	all.Wait()
	for _, err := range faults {
		if err != nil {
			return err
		}
	}
	return nil
}

// loadExecution looks up one. An execution starts with the file, so none exists before.
func (s *Service) loadExecution(ctx context.Context, i *Import) (err error) {
	if i.Status.Terminal() {
		return nil
	}
	i.Execution, err = s.Executions.Status(ctx, i.ID)
	early := i.Status == job.Uploaded && i.Execution == job.ExecutionAbsent
	if err == nil && i.Idle && !early && i.Execution != job.ExecutionRunning {
		i.Stuck = ExecutionEnded
	}
	return err
}

// Requeued is the result of requeueing.
type Requeued struct {
	Chunks             int  // chunks of rows that were queued
	Message            bool // whether a message for an export, or for a file to fetch, was queued
	ReconcileRequested bool // whether reconcile was requested, which runs within a minute
}

// RequeueImport requeues the open work of an import: the chunks of rows that are not done, or
// the fetch of its file. Otherwise it requests reconcile, which starts imports that have a
// file, completes waits that are over, and fails imports that have lost their execution. Work
// that is queued twice is done once.
func (s *Service) RequeueImport(ctx context.Context, by string, id job.ID) (b Requeued, err error) {
	i, err := s.loadImport(ctx, id)
	if err != nil {
		return b, err
	}
	if i.Status.Terminal() {
		return b, problem.New(problem.StateConflict, "Nothing to requeue: this import %s.", i.Status.Clause())
	}
	switch {
	case i.Fetching:
		b.Message, err = true, s.Senders.SendFetch(ctx, i.Ref())
	case i.Status == job.Processing && i.SplitComplete && i.ChunksDone < i.ChunkTotal:
		b.Chunks, err = s.sendChunks(ctx, i)
	default:
		b.ReconcileRequested, err = true, s.Reconciler.Raise(ctx)
	}
	if err != nil {
		return Requeued{}, err
	}
	s.audit(ctx, "import requeued", by, "of_organisation", i.Organisation, "job_id", i.ID, "chunks", b.Chunks)
	return b, nil
}

func (s *Service) sendChunks(ctx context.Context, i *Import) (int, error) {
	var open []int
	err := s.Store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		open, err = s.Store.OpenChunks(ctx, tx, i.Key)
		return err
	})
	if err != nil {
		return 0, err
	}
	return len(open), s.Senders.SendChunks(ctx, i.Ref(), open)
}

// ImportNotFound is the error of an unknown import.
func ImportNotFound() error { return problem.New(problem.NotFound, "No import with this ID exists.") }
