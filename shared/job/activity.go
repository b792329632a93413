package job

import "time"

// Activity is what an import is doing, in more detail than its status. The names are those
// of the API.
type Activity string

// The activities of an import.
const (
	Receiving     Activity = "RECEIVING"    // waits for its file
	Analysing     Activity = "ANALYSING"    // the file and its columns are analysed
	AskColumns    Activity = "ASK_COLUMNS"  // waits for decisions about columns
	LookingUp     Activity = "LOOKING_UP"   // values are looked up
	AskValues     Activity = "ASK_VALUES"   // waits for decisions about values
	Splitting     Activity = "CUTTING"      // the file is read to its end; rows are already being written
	Writing       Activity = "WRITING"      // rows are being written
	Finishing     Activity = "FINISHING"    // all rows are done
	Planning      Activity = "REHEARSING"   // the changes of the rows are planned
	AskApproval   Activity = "ASK_APPROVAL" // waits for approval of the plan
	ActivityEnded Activity = "ENDED"
)

// Activity returns what the job is doing.
func (j *Job) Activity() Activity {
	switch j.Status {
	case Uploaded:
		if j.UploadedAt == nil {
			return Receiving
		}
		return Analysing
	case ColumnMapping:
		return AskColumns
	case CellMapping:
		if j.Waiting {
			return AskValues
		}
		return LookingUp
	case Processing:
		return j.processing()
	case AwaitingApproval:
		return AskApproval
	}
	return ActivityEnded
}

// processing returns the activity of a job that is PROCESSING.
func (j *Job) processing() Activity {
	if a := j.Progress.activity(j.WholeFile); a != Writing || !j.IsPlanning() {
		return a
	}
	return Planning
}

func (p Progress) activity(wholeFile bool) Activity {
	switch {
	case wholeFile:
		return Writing
	case !p.SplitComplete:
		return Splitting
	case p.RowsDone():
		return Finishing
	}
	return Writing
}

// Throughput returns the rows per second between the start of writing and the last commit,
// and the estimated time until the remaining rows are done at that rate; false if unknown.
func (j *Job) Throughput() (rowsPerSecond float64, left time.Duration, known bool) {
	done := j.Progress.Counts.Processed()
	if j.Status != Processing || j.StartedAt == nil || !j.Progress.SplitComplete || done == 0 {
		return 0, 0, false
	}
	taken := j.UpdatedAt.Sub(*j.StartedAt).Seconds()
	if taken <= 0 {
		return 0, 0, false
	}
	rowsPerSecond = float64(done) / taken
	return rowsPerSecond, time.Duration(float64(max(j.Progress.TotalRows-done, 0)) / rowsPerSecond * float64(time.Second)), true
}
