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

// Stuck is why something will not go on by itself, or "".
type Stuck string

// The reasons.
const (
	// NoProgress is work that needs no person, and of which nothing has been heard for too long.
	NoProgress Stuck = "NO_PROGRESS"
	// Overdue is what has waited for a person, or for a file, longer than it may.
	Overdue Stuck = "OVERDUE"
	// ExecutionEnded is an import that is open while its execution is not.
	ExecutionEnded Stuck = "EXECUTION_ENDED"
)

// WaitLimit is how long an import may wait for a person or a file.
const WaitLimit = 90 * 24 * time.Hour

// Import is an import as an operator sees it.
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
	Fetching      bool // its file is to be fetched from an address
	FailureCode   string
	Stuck         Stuck
	Idle          bool                // nothing has been heard of it for as long as what is stuck
	Execution     job.ExecutionStatus // "" where it was not asked for: of what has ended, or moves
}

// Ref is what travels.
func (i *Import) Ref() job.Ref { return job.Ref{JobID: i.ID, OrganisationID: i.Organisation} }

// ImportFilter narrows and sorts a list of imports; zero values match all.
type ImportFilter struct {
	Organisation tenant.ID
	ImportType   string
	Statuses     []job.Status
	Stuck        bool // only those that are stuck
	OldestFirst  bool // by when something was last heard of them; else the newest first
	StuckAfter   time.Duration
	Page
}

// Imports lists imports of all organisations, and how many there are.
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

// maxConcurrentLookups is how many executions are asked about at a time.
const maxConcurrentLookups = 8

// loadExecutions asks where the executions stand of those that are open and idle.
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

// loadExecution asks about one. An execution begins with the file, so there is none before.
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

// Requeued is what an action has brought to the functions again.
type Requeued struct {
	Chunks             int  // chunks of rows that were queued
	Message            bool // whether a message of an export, or of a file to be fetched, was
	ReconcileRequested bool // whether reconcile was asked to look, which it does within a minute
}

// RequeueImport brings what is open of an import to the functions again: the chunks of rows
// that are not done, the fetching of its file, or else the attention of reconcile, which
// starts what has a file, completes waits that are over, and fails what has lost its
// execution. Work that is brought twice is done once.
func (s *Service) RequeueImport(ctx context.Context, by string, id job.ID) (b Requeued, err error) {
	i, err := s.loadImport(ctx, id)
	if err != nil {
		return b, err
	}
	if i.Status.Terminal() {
		return b, problem.New(problem.StateConflict, "There is nothing to bring again: this import %s.", i.Status.Clause())
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
	s.audit(ctx, "import brought again", by, "of_organisation", i.Organisation, "job_id", i.ID, "chunks", b.Chunks)
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

// ImportNotFound says that there is no such import.
func ImportNotFound() error { return problem.New(problem.NotFound, "There is no import with this id.") }
