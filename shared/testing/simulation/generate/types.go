package generate

import (
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// importType describes an import type.
type importType struct {
	name       string
	modes      []rowwrite.Mode
	wholeFile  bool
	inContext  bool
	needsEmail bool // a row needs an email address to be identified
	columns    []columnKind
	// references are the reference fields: the value of each text by its lower case.
	references map[string]map[string]string
	// listValues are the fields with texts from a list: the list's text by lower case, as above. The
	// type itself looks up values that were not asked about.
	listValues map[string]map[string]string
	// numbered are the names of a person's choices by number.
	numbered map[int64]string
	model    func(*Import) model
}

// columnKind generates a field's column.
type columnKind struct {
	field    string
	headers  []string // known headers
	optional bool     // the file may lack it
	required bool     // an empty cell is an error
	filled   bool     // no cell is empty
	dates    bool     // a date column, for which cell is nil
	cell     func(g *generator, identity int) Cell
}

// model is a database before and after rows have been applied to it.
type model interface {
	// setupSQL returns the statements that create the initial data; $1 is the organisation.
	setupSQL() []string
	apply(number int64, r row) checker.Line
	tables() []checker.Table
}

// scanningModel scans all valid rows of a file before any is applied.
type scanningModel interface {
	scan(number int64, r row)
}

// keyCountingModel is a model in which upserts write nothing for an unchanged row, unless
// another row of the file is about the same entity. It sees all rows before any is applied.
type keyCountingModel interface {
	countKeys(r row)
}

// existingModel is a model that knows the initial data.
type existingModel interface {
	// existingValues returns the field values of the n-th entity.
	existingValues(n int) map[string]string
}

// retryModel is a model that supports retries of individual rows.
type retryModel interface {
	model
	// beginRetry begins another import on the current state of the model.
	beginRetry()
}

// unorderedModel is a model that accepts rows in another order than that of the file.
type unorderedModel interface {
	// relax removes expectations about rows in concurrent chunks.
	relax(lines []checker.Line)
}

func importTypes() []*importType {
	return []*importType{users(), articles(), comments(), memberships(), orders(), participants(), results()}
}

func erroredLine(codes ...string) checker.Line {
	return checker.Line{Outcome: rowwrite.Errored, Codes: codes}
}

// Error codes that apply to a row instead of a single cell.
const (
	duplicate     = "ROW_DUPLICATE"
	alreadyExists = "ALREADY_EXISTS"
	resultMoved   = "RESULT_MOVED"
	unresolved    = "CELL_UNRESOLVED"
	required      = "CELL_REQUIRED"
	noParent      = "REFERENCE_NOT_FOUND"
	ambiguous     = "IDENTITY_AMBIGUOUS"
)
