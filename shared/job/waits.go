package job

// Waits is what the job waits for: its file, decisions about columns or values, or approval;
// "" while it goes on by itself.
func (j *Job) Waits() WaitsFor {
	switch {
	case j.Status == Uploaded && j.UploadedAt == nil:
		return ForFile
	case j.Status == ColumnMapping && j.Waiting:
		return ForColumns
	case j.Status == CellMapping && j.Waiting:
		return ForCells
	case j.Status == AwaitingApproval:
		return ForApproval
	default:
		return ""
	}
}

// WaitsFor is something from outside that a job cannot go on without.
type WaitsFor string

// What jobs wait for. The names are those of the API.
const (
	ForFile     WaitsFor = "FILE"
	ForColumns  WaitsFor = "COLUMN_MAPPINGS"
	ForCells    WaitsFor = "CELL_MAPPINGS"
	ForApproval WaitsFor = "APPROVAL"
)
