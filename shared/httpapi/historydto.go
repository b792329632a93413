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
	Entities   []historyEntity `json:"entities"` // the one that was asked for, and those beside it
	Values     []historyValue  `json:"values"`
	Changes    []historyChange `json:"changes"` // the last first
	Cursor     *string         `json:"cursor"`
	Complete   bool            `json:"complete"`
}

type historyEntity struct {
	Table  string `json:"table"`
	ID     string `json:"id"`
	Begins string `json:"begins"`
	Edited bool   `json:"edited"`
}

// historyValue is a value that an entity has, and where it is from.
type historyValue struct {
	Table   string         `json:"table"`
	Field   string         `json:"field"`
	Value   *string        `json:"value"`
	Source  *historySource `json:"source"` // null where it is not known
	Columns []string       `json:"columns"`
	Edited  bool           `json:"edited"`
}

// historySource is an import with a row of its file.
type historySource struct {
	Identifier job.ID         `json:"identifier"`
	Filename   string         `json:"originalFilename"`
	RowNumber  int64          `json:"rowNumber"`
	Uploader   *string        `json:"uploader"`
	At         time.Time      `json:"at"`
	UndoOf     *job.ID        `json:"undoOf"` // the import that this one has taken back
	UndoneBy   *job.TakenBack `json:"undoneBy"`
}

// historyChange is what one import did to an entity.
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

func begins(end history.End) string {
	return [...]string{history.Made: "MADE", history.Foreign: "NOT_IMPORTED", history.Lost: "NOT_KEPT", history.Cut: "TOO_LONG"}[end]
}

// historySources are the imports of a history.
type historySources struct {
	jobs    map[job.Key]*job.Job
	headers map[job.Key]map[string][]string // of the columns that a field is made of, by its name
}

// sources reads the imports that the page and the present values are of.
func (t *told) sources(ctx context.Context, tx pgx.Tx, db *postgres.DB, page []toldStep) (*historySources, error) {
	s := &historySources{make(map[job.Key]*job.Job), make(map[job.Key]map[string][]string)}
	keys := t.jobs(page)
	jobs, err := db.JobsOf(ctx, tx, keys)
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

// headersOf are the headers of the columns that each field is made of.
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

func (s *historySources) columns(key job.Key, field string) []string {
	return orEmpty(s.headers[key][field])
}

// of is the source of a step. The import is there: what it has changed goes with it.
func (s *historySources) of(step *history.Step) historySource {
	source := historySource{RowNumber: step.Row, At: step.Written.UTC()}
	if j := s.jobs[step.Job]; j != nil {
		source.Identifier, source.Filename, source.Uploader = j.ID, j.Filename, orNull(j.Uploader)
		source.UndoOf, source.UndoneBy = undoOf(j), j.Undone
	}
	return source
}

func (s *historySources) change(told toldStep, words fieldWords) historyChange {
	e := told.entity
	step := &e.steps[told.place]
	document := historyChange{Table: e.Table, Kind: step.Op.String(), Source: s.of(step), Fields: []historyField{}}
	before := make(map[string]*string)
	for i, column := range step.Columns {
		if step.Before != nil {
			before[column] = step.Before[i]
		}
	}
	for column, after := range history.Given(e.Entity, e.steps, told.place) {
		name := words.field(column)
		document.Fields = append(document.Fields, historyField{name, s.columns(step.Job, name), before[column], after})
	}
	slices.SortFunc(document.Fields, func(x, y historyField) int { return cmp.Compare(x.Field, y.Field) })
	return document
}
