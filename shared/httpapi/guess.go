package httpapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Limits of the beginning of a file by which its type is guessed.
const (
	maxGuessedColumns = 500
	maxGuessedRows    = columnmatch.SampledRows
	maxHeaderLength   = 1_000
)

// fileBeginning is the body of POST /api/import-types/guess.
type fileBeginning struct {
	Headers []string   `json:"headers"`
	Rows    [][]string `json:"rows"`
}

// typeGuess is TypeGuess in openapi.yaml.
type typeGuess struct {
	Best  *string       `json:"best"`
	Types []guessedType `json:"types"` // best first
}

// guessedType is a type that knows columns of the file.
type guessedType struct {
	ImportType string    `json:"importType"`
	Title      string    `json:"title"`
	Columns    int       `json:"columns"`
	Matched    int       `json:"matched"`
	Fields     []*string `json:"fields"`
	Missing    []string  `json:"missing"`
}

// guessType is POST /api/import-types/guess.
func (a *api) guessType(w http.ResponseWriter, r *http.Request) error {
	var file fileBeginning
	if err := readJSON(r, &file, maxDocument); err != nil {
		return err
	}
	if err := file.validate(); err != nil {
		return err
	}
	var types []entity.Type
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		types, err = a.Types.TypesOf(ctx, tx, organisationOf(r))
		return err
	})
	if err != nil {
		return err
	}
	guess := typeGuess{Types: []guessedType{}}
	for _, t := range types {
		if err := r.Context().Err(); err != nil {
			return err
		}
		found, err := a.matchType(languageOf(r), t.Declaration(), &file)
		if err != nil {
			return err
		}
		if found.Matched > 0 {
			guess.Types = append(guess.Types, *found)
		}
	}
	guess.order()
	return writeJSON(w, http.StatusOK, guess)
}

func (f *fileBeginning) validate() error {
	faults := problem.New(problem.ParameterInvalid, "Send 1 to 500 headers and at most 50 rows.")
	valid := true
	refuse := func(member, rule string) {
		faults, valid = faults.With(member, problem.ParameterInvalid, rule), false
	}
	if len(f.Headers) == 0 || len(f.Headers) > maxGuessedColumns {
		refuse("headers", "From 1 to 500 headers.")
	}
	if slices.ContainsFunc(f.Headers, func(header string) bool { return len(header) > maxHeaderLength }) {
		refuse("headers", "At most 1,000 bytes a header.")
	}
	if len(f.Rows) > maxGuessedRows || slices.ContainsFunc(f.Rows, func(row []string) bool { return len(row) > maxGuessedColumns }) {
		refuse("rows", "At most 50 rows of 500 cells.")
	}
	if valid {
		return nil
	}
	return faults
}

// samples returns the values of the rows as samples of the columns.
func (f *fileBeginning) samples() *columnmatch.Samples {
	samples := columnmatch.NewSamples(len(f.Headers))
	for _, row := range f.Rows {
		cells := make([]sheet.Cell, len(row))
		for i, text := range row {
			cells[i].Bytes = []byte(text)
		}
		samples.Add(&sheet.Row{Cells: cells})
	}
	return samples
}

// matchType matches the columns with the fields of a type.
func (a *api) matchType(l translation.Language, d *entity.Declaration, f *fileBeginning) (*guessedType, error) {
	matcher, err := columnmatch.NewMatcher(d, nil, a.Concepts)
	if err != nil {
		return nil, err
	}
	columns := columnmatch.Columns(matcher, f.Headers, f.samples(), true)
	found := &guessedType{ImportType: d.Name, Title: l.Text(d.Title), Columns: len(columns), Fields: make([]*string, len(columns)), Missing: []string{}}
	for i := range columns {
		if field := columns[i].TargetField; field != "" {
			found.Fields[i] = &field
			found.Matched++
		}
	}
	for _, field := range d.MissingFields(job.TargetFields(columns)) {
		found.Missing = append(found.Missing, l.Title(field.Title, field.Titles))
	}
	return found, nil
}

// order sorts the types and finds the best one: a file may be of a type only if no required column is
// missing, and then the number of known columns decides.
func (g *typeGuess) order() {
	slices.SortStableFunc(g.Types, func(x, y guessedType) int {
		switch {
		case x.isComplete() == y.isComplete():
			return y.Matched - x.Matched
		case x.isComplete():
			return -1
		}
		return 1
	})
	if len(g.Types) == 0 {
		return
	}
	first := &g.Types[0]
	tied := len(g.Types) > 1 && g.Types[1].isComplete() && g.Types[1].Matched == first.Matched
	if first.isComplete() && 2*first.Matched >= first.Columns && !tied {
		g.Best = &first.ImportType
	}
}

func (t *guessedType) isComplete() bool { return len(t.Missing) == 0 }
