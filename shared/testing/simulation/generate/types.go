package generate

import (
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// importType is what is known of an import type.
type importType struct {
	name       string
	modes      []job.WriteMode
	wholeFile  bool
	inContext  bool
	needsEmail bool // a row needs an address to be recognised by
	columns    []columnKind
	// references are the fields whose values stand for something: what each text, in
	// lower case, stands for.
	references map[string]map[string]string
	// listed are the fields whose texts are in a list, and what each is in it, as above;
	// the type itself looks up what nobody was asked about.
	listValues map[string]map[string]string
	// numbered are the names of what a person can choose, by number.
	numbered map[int64]string
	model    func(*Import) model
}

// columnKind makes a field's column.
type columnKind struct {
	field    string
	headers  []string // by which it is known
	optional bool     // the file may lack it
	required bool     // an empty cell is an error
	filled   bool     // no cell is left empty
	dates    bool     // its cells are dates, and cell is nil
	cell     func(g *generator, identity int) Cell
}

// model is a database before and after rows have been applied to it.
type model interface {
	// prepare are the statements for what is there before; $1 is the organisation.
	setupSQL() []string
	apply(number int64, r row) checker.Line
	tables() []checker.Table
}

// scanningModel looks at all sound rows of a file before any is applied.
type scanningModel interface {
	scan(number int64, r row)
}

// keyCountingModel is one whose upserts write nothing for a row that changes nothing, if no other
// row of the file names the same thing. It is shown all rows before any is applied.
type keyCountingModel interface {
	countKeys(r row)
}

// existingModel is one that knows what there is before the import.
type existingModel interface {
	// old is what each field of the n-th thing holds.
	existingValues(n int) map[string]string
}

// retryModel is one whose rows can be brought again, one by one, after it.
type retryModel interface {
	model
	// again begins another import of what the model holds.
	beginRetry()
}

// unorderedModel is one whose rows may meet each other in another order than the file's.
type unorderedModel interface {
	// loosen takes back what is not promised of rows whose chunks run side by side.
	relax(lines []checker.Line)
}

func importTypes() []*importType {
	return []*importType{users(), articles(), comments(), memberships(), orders(), participants(), results()}
}

func erroredLine(codes ...string) checker.Line {
	return checker.Line{Outcome: job.Errored, Codes: codes}
}

// Codes of row errors that no single cell has.
const (
	duplicate     = "ROW_DUPLICATE"
	alreadyExists = "ALREADY_EXISTS"
	unresolved    = "CELL_UNRESOLVED"
	required      = "CELL_REQUIRED"
	noParent      = "REFERENCE_NOT_FOUND"
	ambiguous     = "IDENTITY_AMBIGUOUS"
)
