package rows

import (
	"encoding/json"
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
)

// SetCorrections has fields of rows read as people say, instead of as the file has them. A row
// that cannot be taken as a whole can be once all its mapped fields are corrected.
func (d *Decoder) SetCorrections(corrections []job.Correction) error {
	for _, c := range corrections {
		cell, err := CellOf(c.Value)
		if err != nil {
			return fmt.Errorf("correction of %s in row %d: %w", c.Field, c.Row, err)
		}
		if d.corrected == nil {
			d.corrected = make(map[int64]map[string]sheet.Cell)
		}
		if d.corrected[c.Row] == nil {
			d.corrected[c.Row] = make(map[string]sheet.Cell)
		}
		d.corrected[c.Row][c.Field] = cell
	}
	return nil
}

// CellOf is the cell that a JSON value stands for: a text is one as the file would have
// it, a number and a truth value are what they are, and null is an empty cell.
func CellOf(value json.RawMessage) (sheet.Cell, error) {
	if len(value) == 0 {
		return sheet.Cell{}, nil
	}
	switch value[0] {
	case 'n':
		return sheet.Cell{}, nil
	case 't', 'f':
		return sheet.Cell{Kind: sheet.Bool, Bytes: value}, nil
	case '"':
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return sheet.Cell{}, err
		}
		return sheet.Cell{Kind: sheet.Text, Bytes: []byte(text)}, nil
	default:
		return sheet.Cell{Kind: sheet.Number, Bytes: value}, nil
	}
}

// correction is the cell that a person has said a field of a row is to be read from.
func (d *Decoder) correction(b *binding, row int64) (c sheet.Cell, ok bool) {
	if d.corrected != nil {
		c, ok = d.corrected[row][b.def.Name]
	}
	return c, ok
}

// isFullyCorrected reports whether all mapped fields of a row are corrected.
func (d *Decoder) isFullyCorrected(row int64) bool {
	given := d.corrected[row]
	for i := range d.plan.bindings {
		if _, ok := given[d.plan.bindings[i].def.Name]; !ok {
			return false
		}
	}
	return len(d.plan.bindings) > 0
}
