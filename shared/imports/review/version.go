package review

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/transform"
)

// Version is the ETag of a mapping: it is another one as soon as somebody says something
// else of a column.
func Version(d *document.Document) (string, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("version of a mapping: %w", err)
	}
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:16]) + `"`, nil
}

// maxChangedFields bounds how many fields are named that somebody else has changed.
const maxChangedFields = 50

// checkVersion refuses to replace a mapping that somebody has changed since it was read, and
// says who, and which fields are otherwise than in what would have replaced it.
func (s *Service) checkVersion(ctx context.Context, tx pgx.Tx, j *job.Job, p MappingUpdate, said *document.Document) error {
	if p.Matches == nil {
		return nil
	}
	now, err := s.mapping(ctx, tx, j)
	if err != nil {
		return err
	}
	version, err := Version(now)
	if err != nil || p.Matches(version) {
		return err
	}
	by, err := s.store.ColumnsDecidedBy(ctx, tx, j.Key)
	if err != nil {
		return err
	}
	fault := problem.New(problem.VersionChanged, "%s changed what the columns are since you have read it. Nothing of yours was kept: read it again.", actorName(by, p.By))
	for _, f := range changedFields(now, said) {
		fault.With(f.Field, problem.VersionChanged, describeField(f))
	}
	return fault
}

// actorName has changed something, told to somebody.
func actorName(by, told string) string {
	if by != "" && by == told {
		return "You have, in another window,"
	}
	return cmp.Or(by, "Somebody") + " has"
}

// changedFields are the fields that one mapping makes otherwise than another, as the first has
// them; of what it makes nothing of, the name alone.
func changedFields(now, said *document.Document) (fields []document.Field) {
	others := make(map[string]document.Field, len(said.Fields))
	for _, f := range said.Fields {
		others[f.Field] = f
	}
	for _, f := range now.Fields {
		other, both := others[f.Field]
		if delete(others, f.Field); !both || !sameField(f, other) {
			fields = append(fields, f)
		}
	}
	for _, f := range said.Fields {
		if _, alone := others[f.Field]; alone {
			fields = append(fields, document.Field{Field: f.Field})
		}
	}
	return fields[:min(len(fields), maxChangedFields)]
}

// sameField reports whether two fields are made alike.
func sameField(a, b document.Field) bool {
	same := func(x, y []transform.Step) bool { return len(x) == 0 && len(y) == 0 || reflect.DeepEqual(x, y) }
	return slices.Equal(a.From, b.From) && (len(a.From) < 2 || a.SeparatorText() == b.SeparatorText()) && reflect.DeepEqual(a.Constant, b.Constant) &&
		same(a.Transforms, b.Transforms) && a.DateOrder == b.DateOrder && a.DecimalMark == b.DecimalMark
}

// describeField says what a field is made of.
func describeField(f document.Field) string {
	switch {
	case len(f.From) > 0:
		return "It is made of " + strings.Join(f.From, ", ") + " now."
	case f.Constant != nil:
		return "It is the same in every row now."
	}
	return "Nothing is made of columns for it now."
}
