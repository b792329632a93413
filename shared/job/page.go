package job

// Page is a part of a list, which may also be a list of other things than jobs.
type Page struct{ Offset, Limit int64 }
