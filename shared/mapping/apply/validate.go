package apply

import (
	"encoding/json"
	"fmt"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/jsontext"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
)

// Parse parses a document for files of a type. Its error is a *problem.Error,
// MAPPING_INVALID, that lists each part that is invalid or does not fit the type.
func Parse(text json.RawMessage, decl *entity.Declaration) (*document.Document, error) {
	if err := jsontext.CheckMembers(text, &document.Document{}); err != nil {
		return nil, problem.Wrap(err, problem.MappingInvalid, "The mapping does not match its schema: %s.", problem.DescribeJSON(err))
	}
	d, err := document.Parse(text)
	if err != nil {
		return nil, err
	}
	return d, validateFields(d, decl)
}

// Validate is Parse for a document that is already parsed.
func Validate(d *document.Document, decl *entity.Declaration) error {
	if err := d.Validate(); err != nil {
		return err
	}
	return validateFields(d, decl)
}

// Misfit returns why a field of a saved document does not fit the type any more, or "".
func Misfit(f *document.Field, decl *entity.Declaration) string {
	err := validateFields(&document.Document{Fields: []document.Field{*f}}, decl)
	if err == nil {
		return ""
	}
	if e := problem.From(err); len(e.Fields) > 0 {
		return e.Fields[0].Message
	}
	return err.Error()
}

func validateFields(d *document.Document, decl *entity.Declaration) error {
	if err := d.CheckFields(decl); err != nil {
		return err
	}
	return checkConstants(d, decl)
}

// checkConstants rejects constants that would be an error in every row.
func checkConstants(d *document.Document, decl *entity.Declaration) error {
	invalid := problem.New(problem.MappingInvalid, "The mapping is not valid.")
	for i := range d.Fields {
		f := &d.Fields[i]
		if f.Constant == nil {
			continue
		}
		entry := job.MappedColumn{ColumnIndex: -1}
		setField(&entry, f, nil)
		why, err := rows.ConstantError(decl, &entry)
		if err != nil {
			return err
		}
		if why != "" {
			invalid.With(fmt.Sprintf("fields[%d].constant", i), problem.MappingInvalid, why)
		}
	}
	if len(invalid.Fields) > 0 {
		return invalid
	}
	return nil
}

// ToColumnsStrict is ToColumns for documents that must fit completely: MAPPING_INVALID lists
// the columns missing in the file, by their fields.
func ToColumnsStrict(d *document.Document, columns []job.MappedColumn) ([]job.MappedColumn, error) {
	applied, unfit := ToColumns(d, columns)
	if len(unfit) == 0 {
		return applied, nil
	}
	fault := problem.New(problem.MappingInvalid, "The mapping names columns that the file does not have.")
	for _, u := range unfit {
		fault.With(u.Field, problem.MappingInvalid, fmt.Sprintf("Column %.60q does not exist.", u.Column))
	}
	return nil, fault
}
