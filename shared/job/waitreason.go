package job

// WaitingFor returns what the job waits for: its file, decisions about columns or values, or
// approval; "" if it waits for nothing.
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

// WaitReason is an external input that a job waits for.
type WaitReason string

// The reasons for waiting. The names are those of the API.
const (
	WaitFile     WaitReason = "FILE"
	WaitColumns  WaitReason = "COLUMN_MAPPINGS"
	WaitCells    WaitReason = "CELL_MAPPINGS"
	WaitApproval WaitReason = "APPROVAL"
)
