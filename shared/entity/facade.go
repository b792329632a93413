package entity

// Facade is a type's own pair of endpoints under /api. One takes a file and
// imports it without asking; the other answers with the type's own result. The
// query parameters of the first are the context's and those of the file.
type Facade struct {
	Upload string // path of the PUT: "/api/memberships/import"
	Result string // path of the GET, with {jobId}
}
