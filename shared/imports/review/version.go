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

// Version returns the ETag of a mapping, which changes with every change of a column
// decision.
func Version(d *document.Document) (string, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("compute mapping version: %w", err)
	}
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:16]) + `"`, nil
}

// maxChangedFields limits how many changed fields are listed.
const maxChangedFields = 50

// checkVersion rejects replacing a mapping that was changed since it was read. The error
// names the person who changed it, and the fields that differ from the replacement.
func (s *Service) checkVersion(ctx context.Context, tx pgx.Tx, j *job.Job, p MappingUpdate, doc *document.Document) error {
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
	fault := problem.New(problem.VersionChanged, "%s changed the columns since you loaded them. Your changes were not saved; reload and try again.", actorName(by, p.By))
	for _, f := range changedFields(now, doc) {
		fault.With(f.Field, problem.VersionChanged, describeField(f))
	}
	return fault
}

// actorName returns the subject and auxiliary verb for the person who made a change.
func actorName(by, decider string) string {
	if by != "" && by == decider {
		return "You have, in another window,"
	}
	return cmp.Or(by, "Somebody") + " has"
}

// changedFields returns the fields of the first mapping that differ from the second; for a
// field that the first mapping lacks, it returns only the name.
func changedFields(now, doc *document.Document) (fields []document.Field) {
	others := make(map[string]document.Field, len(doc.Fields))
	for _, f := range doc.Fields {
		others[f.Field] = f
	}
	for _, f := range now.Fields {
		other, both := others[f.Field]
		if delete(others, f.Field); !both || !sameField(f, other) {
			fields = append(fields, f)
		}
	}
	for _, f := range doc.Fields {
		if _, alone := others[f.Field]; alone {
			fields = append(fields, document.Field{Field: f.Field})
		}
	}
	return fields[:min(len(fields), maxChangedFields)]
}

// sameField reports whether two fields are composed in the same way.
func sameField(a, b document.Field) bool {
	same := func(x, y []transform.Step) bool { return len(x) == 0 && len(y) == 0 || reflect.DeepEqual(x, y) }
	return slices.Equal(a.From, b.From) && (len(a.From) < 2 || a.SeparatorText() == b.SeparatorText()) && reflect.DeepEqual(a.Constant, b.Constant) &&
		same(a.Transforms, b.Transforms) && a.DateOrder == b.DateOrder && a.DecimalMark == b.DecimalMark
}

// describeField describes how a field is composed.
func describeField(f document.Field) string {
	switch {
	case len(f.From) > 0:
		return "It is composed of " + strings.Join(f.From, ", ") + " now."
	case f.Constant != nil:
		return "It has the same value in all rows now."
	}
	return "It is no longer composed of columns."
}
