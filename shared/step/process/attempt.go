package process

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
)

// attempt is what one run of the chunk's transaction collects. If the run loses against
// another transaction, all of it is dropped.
type attempt struct {
	*chunkInput
	batch      *entity.Batch                // the rows that are still to be written
	texts      map[int]*entity.Column       // of the batch, as decoded has them
	words      *rows.ErrorFormatter         // of the file, in which row errors are stored
	decisions  valueDecisions               // what people have said about those texts
	references map[int]map[string]reference // what they stand for, by field
	outcomes   []byte                       // of each line of the chunk
	foreign    map[int64]job.Outcome        // of rows of other chunks that this one decides
	results    []job.RowResult
	noted      []entity.Batch // parts of the batch that are written, of which the type notes something
	before     job.Counts     // of the chunk, before this attempt
	delta      job.Counts     // of the job
	progress   job.Progress
	// left says that nothing of the chunk is written: what is wrong with its rows is
	// more than the import allows already.
	overLimit bool
	// stopped says that the job has ended here, for too many errors.
	stopped bool
	// deferredFrom is the status that the job left to ask about values, or "".
	deferredFrom job.Status
}

// errReopened fails a chunk that another process has processed and reopened since it
// was read: the message is delivered again, and the next run finds what is left to do.
var errReopened = errors.New("the chunk was processed and opened again meanwhile")

// attempt begins an attempt at the chunk as it was claimed. Since it was read, rows
// of it may have been displaced by another chunk.
func (in *chunkInput) attempt(claimed *job.Chunk) (*attempt, error) {
	if len(claimed.Outcomes) != len(in.chunk.Outcomes) {
		return nil, errReopened
	}
	a := &attempt{
		chunkInput: in, batch: in.decoded.batch, texts: in.decoded.texts, words: in.decoded.words, outcomes: bytes.Clone(in.decoded.outcomes),
		foreign: maps.Clone(in.decoded.foreign), results: slices.Clip(in.decoded.rejected), before: job.CountOutcomes(claimed.Outcomes),
	}
	for i, o := range claimed.Outcomes {
		if o != in.chunk.Outcomes[i] {
			a.outcomes[i] = o
		}
	}
	return a, nil
}

// collectResults keeps the results of rows that a type has written.
func (a *attempt) collectResults(b *entity.Batch) {
	for i := range b.Results {
		r := &b.Results[i]
		outcome := rows.ToOutcome(r.Outcome)
		a.setOutcome(b.Row(i), outcome)
		if len(r.Errors) > 0 {
			a.addResult(b.Row(i), outcome, r.Errors)
		}
	}
}

// setOutcome gives a row that the chunk decides its outcome.
func (a *attempt) setOutcome(row int64, o job.Outcome) {
	if _, brought := a.foreign[row]; brought {
		a.foreign[row] = o
		return
	}
	a.outcomes[row-a.chunk.FirstRow] = byte(o)
}

// outcome is what a row has come to so far; decides is false for one of another chunk.
func (a *attempt) outcome(row int64) (o job.Outcome, decides bool) {
	if o, decides = a.foreign[row]; decides {
		return o, true
	}
	if i := row - a.chunk.FirstRow; i >= 0 && i < int64(a.chunk.Lines) {
		return job.Outcome(a.outcomes[i]), true
	}
	return 0, false
}

func (a *attempt) addResult(row int64, o job.Outcome, faults []entity.RowError) {
	r := job.RowResult{Row: row, Outcome: o, Errors: make([]job.RowError, len(faults))}
	for i, f := range faults {
		r.Errors[i] = a.words.RowError(row, f)
	}
	a.results = append(a.results, r)
}
