package entity

import "github.com/loadbay/loadbay/shared/job/rowwrite"

// Facade describes a type's own pair of endpoints under /api. The first accepts a file and
// imports it without a review; the second returns the type's own result. The query parameters
// of the first are those of the context and the options of the file.
type Facade struct {
	Upload string // path of the PUT: "/api/memberships/import"
	Result string // path of the GET, with {importId}
}

// BatchUploads describes a type's endpoints for numbered uploads: POST and GET of Path, and
// GET of Path/{batchId} and Path/{batchId}/rows.
type BatchUploads struct {
	Path string // "/api/orders/bulk-uploads"
	// TranslateRowError translates a row error into the codes of these endpoints. The field is nil if
	// the error concerns the row as a whole.
	TranslateRowError func(f *Field, rowErr rowwrite.Error) rowwrite.Error
}
