package entity

// Facade is a type's own pair of endpoints under /api. One takes a file and
// imports it without asking; the other returns the type's own result. The
// query parameters of the first are the context's and those of the file.
type Facade struct {
	Upload string // path of the PUT: "/api/memberships/import"
	Result string // path of the GET, with {jobId}
}

// BatchUploads are a type's endpoints for uploads that get a number each: POST and GET
// of Path, and GET of Path/{batchId} and Path/{batchId}/rows.
type BatchUploads struct {
	Path string // "/api/orders/bulk-uploads"
	// RowError translates a row error into the codes of these endpoints. The field is nil where
	// the error concerns the row as a whole.
	TranslateRowError func(f *Field, rowErr RowError) RowError
}
