package job

// WaitingFor is what the job waits for: its file, decisions about columns or values, or approval;
// "" while it goes on by itself.
func (j *Job) WaitingFor() WaitReason {
	switch {
	case j.Status == Uploaded && j.UploadedAt == nil:
		return WaitFile
	case j.Status == ColumnMapping && j.Waiting:
		return WaitColumns
	case j.Status == CellMapping && j.Waiting:
		return WaitCells
	case j.Status == AwaitingApproval:
		return WaitApproval
	default:
		return ""
	}
}

// WaitReason is something from outside that a job cannot go on without.
type WaitReason string

// What jobs wait for. The names are those of the API.
const (
	WaitFile     WaitReason = "FILE"
	WaitColumns  WaitReason = "COLUMN_MAPPINGS"
	WaitCells    WaitReason = "CELL_MAPPINGS"
	WaitApproval WaitReason = "APPROVAL"
)
