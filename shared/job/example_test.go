package job_test

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// The life cycle is one table. Every change of a status in the database is
// guarded by it.
func ExampleStatus_CanBecome() {
	fmt.Println(job.Processing.CanBecome(job.CellMapping), "- rows met a value that nobody mapped")
	fmt.Println(job.Completed.CanBecome(job.Processing), "- what has ended stays as it is")
	fmt.Println("to COMPLETED from", job.StatusesBefore(job.Completed))
	// Output:
	// true - rows met a value that nobody mapped
	// false - what has ended stays as it is
	// to COMPLETED from [PROCESSING]
}

// The outcomes of a chunk's rows are stored as one byte per row.
func ExampleCountOutcomes() {
	counts := job.CountOutcomes([]byte{byte(rowwrite.Created), byte(rowwrite.Created), byte(rowwrite.Updated), byte(rowwrite.Errored), byte(rowwrite.Skipped), byte(rowwrite.Pending)})
	fmt.Println("successful:", counts.Success(), "processed:", counts.Processed())
	// Output:
	// successful: 3 processed: 5
}

// A job is completed only if every line of its file is accounted for.
func ExampleProgress_Reconciles() {
	p := job.Progress{FileLines: 6, HeaderLines: 1, BlankLines: 1, Counts: job.Counts{Created: 2, Updated: 1, Errored: 1}}
	fmt.Println(p.Reconciles())
	p.Counts.Errored--
	fmt.Println(p.Reconciles(), "- a row got lost")
	// Output:
	// true
	// false - a row got lost
}
