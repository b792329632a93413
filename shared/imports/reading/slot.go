package reading

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// Slots are the slots of organisations.
type Slots interface {
	AcquireJobSlot(ctx context.Context, j *job.Job, s quota.Slot) (uuid.UUID, error)
	ReleaseAcquired(ctx context.Context, organisation tenant.ID, id uuid.UUID) error
}

// The sizes from which reading a file needs a slot. A workbook is compressed.
const (
	LargeFile     = 8 << 20
	LargeWorkbook = 1 << 20
)

// isLarge reports whether reading a file is expensive. Until it is analysed, its name says whether it is
// a workbook.
func isLarge(j *job.Job) bool {
	format := reader.FormatFromName(j.Filename)
	var read sheet.Dialect
	if json.Unmarshal(j.Dialect, &read) == nil && read.Format != "" {
		format = read.Format
	}
	return j.SizeBytes >= LargeFile || format == sheet.XLSX && j.SizeBytes >= LargeWorkbook
}

// TakeSlot takes one of the organisation's slots for reading a whole file if that is expensive: if the
// file is large, or the mapping of its columns has patterns. Without a free slot it returns
// TOO_MANY_REQUESTS, after which the state machine waits and tries again. An execution that does not
// know this error needs no slot. The caller calls release once it has read the file.
func TakeSlot(ctx context.Context, slots Slots, ref job.Ref, j *job.Job, columns []job.MappedColumn) (release func(), err error) {
	if ref.MachineVersion < job.SlotMachineVersion || !isLarge(j) && !havePatterns(columns) {
		return func() {}, nil
	}
	id, err := slots.AcquireJobSlot(ctx, j, quota.ReadSlot)
	switch {
	case err != nil:
		return nil, err
	case id == uuid.Nil:
		return nil, problem.New(problem.TooManyRequests, "Your organisation reads too many large files at the same time. Import this file again later.")
	}
	return func() { _ = slots.ReleaseAcquired(ctx, j.OrganisationID, id) }, nil // otherwise it expires
}

func havePatterns(columns []job.MappedColumn) bool {
	for i := range columns {
		for _, step := range columns[i].Transforms {
			if step.Pattern != "" {
				return true
			}
		}
	}
	return false
}
