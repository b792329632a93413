package process

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"github.com/loadbay/loadbay/shared/changes/capture"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/rows"
)

// attempt collects the results of one run of the chunk's transaction. They are dropped if the
// run loses against another transaction.
type attempt struct {
	*chunkInput
	current    entity.Type                  // for the table as it is in the transaction
	warnings   []string                     // about changes of the table
	batch      *entity.Batch                // the rows still to be written
	texts      map[int]*entity.Column       // of the batch, as decoded
	words      *rows.ErrorFormatter         // of the file; formats stored row errors
	decisions  valueDecisions               // decisions about those texts
	references map[int]map[string]reference // matched entities of the texts, by field
	outcomes   []byte                       // of each line of the chunk
	foreign    map[int64]rowwrite.Outcome   // of rows of other chunks that this chunk decides
	results    []job.RowResult
	applied    map[int64]appliedRow // rows that a plan has written, of a type that looks again
	noted      []entity.Batch       // written parts of the batch for which the type saves notes
	reported   capture.Reported
	before     job.Counts // of the chunk before this attempt
	delta      job.Counts // for the job
	progress   job.Progress
	// overLimit reports that nothing of the chunk is written, because its row errors exceed the
	// limit of the import.
	overLimit bool
	// stopped reports that the job has ended here for too many errors.
	stopped bool
	// deferredFrom is the status that the job left to ask about values, or "".
	deferredFrom job.Status
}

// errReopened fails a chunk that another process has processed and reopened since it was read.
// The message is delivered again, and the next run finds the remaining work.
var errReopened = errors.New("the chunk was processed and reopened in the meantime")

// attempt begins an attempt at the chunk as it was claimed. Rows of the chunk may have been
// displaced by another chunk since it was read.
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

// collectResults stores the results of rows that a type has written.
func (a *attempt) collectResults(b *entity.Batch) {
	for i := range b.Results {
		r := &b.Results[i]
		outcome := r.Outcome
		a.setOutcome(b.Row(i), outcome)
		if len(r.Errors) > 0 {
			a.addResult(b.Row(i), outcome, r.Errors)
		}
	}
}

// setOutcome sets the outcome of a row that the chunk decides.
func (a *attempt) setOutcome(row int64, o rowwrite.Outcome) {
	if _, foreign := a.foreign[row]; foreign {
		a.foreign[row] = o
		return
	}
	a.outcomes[row-a.chunk.FirstRow] = byte(o)
}

// outcome returns the current outcome of a row; decides is false for a row of another chunk.
func (a *attempt) outcome(row int64) (o rowwrite.Outcome, decides bool) {
	if o, decides = a.foreign[row]; decides {
		return o, true
	}
	if i := row - a.chunk.FirstRow; i >= 0 && i < int64(a.chunk.Lines) {
		return rowwrite.Outcome(a.outcomes[i]), true
	}
	return 0, false
}

func (a *attempt) addResult(row int64, o rowwrite.Outcome, faults []rowwrite.Error) {
	r := job.RowResult{Row: row, Outcome: o, Errors: make([]rowwrite.Error, len(faults))}
	for i, f := range faults {
		r.Errors[i] = a.words.Format(row, f)
	}
	a.results = append(a.results, r)
}
