package process

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// decisionKey is the key of a cell mapping.
type decisionKey struct{ field, value string }

// valueDecisions holds the decisions about the texts of a chunk and about texts that differ from
// them only in case. It does not contain the decisions for the rest of the file: loading them
// for every chunk would take time quadratic in the size of the file.
type valueDecisions struct {
	cells map[decisionKey]job.MappedCell
	// first holds, for values from which an entity is to be created, the first spelling in the file,
	// by the text in lower case.
	first map[decisionKey]job.MappedCell
}

// loadDecisions loads the decisions about the texts of the batch.
func (s *Step) loadDecisions(ctx context.Context, tx pgx.Tx, a *attempt) error {
	var fields, values []string
	for _, field := range slices.Sorted(maps.Keys(a.texts)) {
		for text := range distinctTexts(a.texts[field]) {
			fields, values = append(fields, a.plan.Declaration.Fields[field].Name), append(values, text)
		}
	}
	a.decisions = valueDecisions{cells: make(map[decisionKey]job.MappedCell), first: make(map[decisionKey]job.MappedCell)}
	if len(values) == 0 {
		return nil
	}
	cells, err := s.store.SimilarCellMappings(ctx, tx, a.job.Key, fields, values)
	if err != nil {
		return err
	}
	for _, c := range cells {
		a.decisions.add(c)
	}
	return nil
}

// distinctTexts returns the distinct texts of a column.
func distinctTexts(texts *entity.Column) map[string]bool {
	found := make(map[string]bool)
	for i := range texts.Len() {
		if v, ok := texts.Bytes(i); ok && !found[string(v)] {
			found[string(v)] = true
		}
	}
	return found
}

func (s *valueDecisions) add(c job.MappedCell) {
	s.cells[decisionKey{c.TargetField, c.Value}] = c
	key := decisionKey{c.TargetField, strings.ToLower(c.Value)}
	if first, there := s.first[key]; c.Create && (!there || c.FirstRow < first.FirstRow) {
		s.first[key] = c
	}
}

// spelling returns the name of the entity that is created from a value: among values that differ
// only in case, the first spelling in the file.
func (s *valueDecisions) spelling(field, value string) string {
	if first, there := s.first[decisionKey{field, strings.ToLower(value)}]; there {
		return first.Value
	}
	return value
}

func parseID(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }
