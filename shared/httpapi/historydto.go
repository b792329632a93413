package httpapi

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/history"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
)

// historyDocument is EntityHistory in openapi.yaml.
type historyDocument struct {
	ImportType string          `json:"importType"`
	Entities   []historyEntity `json:"entities"` // the requested entity and its related entities
	Values     []historyValue  `json:"values"`
	Changes    []historyChange `json:"changes"` // newest first
	Cursor     *string         `json:"cursor"`
	Complete   bool            `json:"complete"`
}

type historyEntity struct {
	Table  string `json:"table"`
	ID     string `json:"id"`
	Begins string `json:"begins"`
	Edited bool   `json:"edited"`
}

// historyValue is a current value of an entity, with its source.
type historyValue struct {
	Table   string         `json:"table"`
	Field   string         `json:"field"`
	Value   *string        `json:"value"`
	Source  *historySource `json:"source"` // null if unknown
	Columns []string       `json:"columns"`
	Edited  bool           `json:"edited"`
}

// historySource is an import and a row of its file.
type historySource struct {
	Identifier job.ID          `json:"identifier"`
	Filename   string          `json:"originalFilename"`
	RowNumber  int64           `json:"rowNumber"`
	Uploader   *string         `json:"uploader"`
	At         time.Time       `json:"at"`
	UndoOf     *job.ID         `json:"undoOf"` // the import that this one has reverted
	UndoneBy   *job.RevertedBy `json:"undoneBy"`
}

// historyChange is the change that one import made to an entity.
type historyChange struct {
	Table  string         `json:"table"`
	Kind   string         `json:"kind"`
	Source historySource  `json:"source"`
	Fields []historyField `json:"fields"`
}

type historyField struct {
	Field   string   `json:"field"`
	Columns []string `json:"columns"`
	Before  *string  `json:"before"`
	After   *string  `json:"after"`
}

func historyStart(end history.EndReason) string {
	return [...]string{history.EndCreated: "MADE", history.EndForeign: "NOT_IMPORTED", history.EndLost: "NOT_KEPT", history.EndTruncated: "TOO_LONG"}[end]
}

// historyImports holds the imports of a history.
type historyImports struct {
	jobs    map[job.Key]*job.Job
	headers map[job.Key]map[string][]string // headers of the columns of each field, by field name
}

// loadImports loads the imports of the page and of the current values.
func (t *loadedHistory) loadImports(ctx context.Context, tx pgx.Tx, db *postgres.DB, page []historyStep) (*historyImports, error) {
	s := &historyImports{make(map[job.Key]*job.Job), make(map[job.Key]map[string][]string)}
	keys := t.jobKeys(page)
	jobs, err := db.JobsByID(ctx, tx, keys)
	if err != nil {
		return nil, err
	}
	for _, j := range jobs {
		s.jobs[j.Key] = j
	}
	for _, key := range keys {
		mapped, err := db.ColumnMappings(ctx, tx, key)
		if err != nil {
			return nil, err
		}
		s.headers[key] = headersOf(mapped)
	}
	return s, nil
}

// headersOf returns the headers of the columns of each field.
func headersOf(mapped []job.MappedColumn) map[string][]string {
	named, headers := make(map[int]string), make(map[string][]string)
	for i := range mapped {
		named[mapped[i].ColumnIndex] = mapped[i].Header
	}
	for i := range mapped {
		for _, place := range mapped[i].Columns() {
			if field := mapped[i].TargetField; field != "" {
				headers[field] = append(headers[field], named[place])
			}
		}
	}
	return headers
}

func (s *historyImports) columns(key job.Key, field string) []string {
	return sliceOrEmpty(s.headers[key][field])
}

// sourceOf returns the source of a step. The import exists, because its changes are deleted with it.
func (s *historyImports) sourceOf(step *history.Step) historySource {
	source := historySource{RowNumber: step.Row, At: step.Written.UTC()}
	if j := s.jobs[step.Job]; j != nil {
		source.Identifier, source.Filename, source.Uploader = j.ID, j.Filename, nilIfZero(j.Uploader)
		source.UndoOf, source.UndoneBy = undoneJobID(j), j.Undone
	}
	return source
}

func (s *historyImports) change(listed historyStep, words fieldNames) historyChange {
	e := listed.entity
	step := &e.steps[listed.place]
	document := historyChange{Table: e.Table, Kind: step.Op.String(), Source: s.sourceOf(step), Fields: []historyField{}}
	before := make(map[string]*string)
	for i, column := range step.Columns {
		if step.Before != nil {
			before[column] = step.Before[i]
		}
	}
	for column, after := range history.StepValues(e.Entity, e.steps, listed.place) {
		name := words.field(column)
		document.Fields = append(document.Fields, historyField{name, s.columns(step.Job, name), before[column], after})
	}
	slices.SortFunc(document.Fields, func(x, y historyField) int { return cmp.Compare(x.Field, y.Field) })
	return document
}
