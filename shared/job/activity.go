package job

import "time"

// Activity is what an import is doing, in more detail than its status says. The names
// are those of the API.
type Activity string

// The activities of an import.
const (
	Receiving     Activity = "RECEIVING"    // its file is still to come
	Analysing     Activity = "ANALYSING"    // it is found out what the file and its columns are
	AskColumns    Activity = "ASK_COLUMNS"  // a person is asked about columns
	LookingUp     Activity = "LOOKING_UP"   // values are looked up
	AskValues     Activity = "ASK_VALUES"   // a person is asked about values
	Splitting     Activity = "CUTTING"      // the file is read to its end; rows are being written already
	Writing       Activity = "WRITING"      // rows are written
	Finishing     Activity = "FINISHING"    // all rows are done
	Planning      Activity = "REHEARSING"   // it is found out what the rows would change
	AskApproval   Activity = "ASK_APPROVAL" // somebody is asked whether that is wanted
	ActivityEnded Activity = "ENDED"
)

// Activity is what the job is doing.
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

// processing is the activity of a job that is PROCESSING.
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

// Throughput is how many rows a second the job has done since it began to write them, by when
// its last rows were committed, and in how many seconds the others will be done at that
// pace; false where that is not known.
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
