package rows

import (
	"encoding/json"
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
)

// SetCorrections replaces fields of rows by corrected values. A row that cannot be read as a whole
// becomes valid once all its mapped fields are corrected.
func (d *Decoder) SetCorrections(corrections []job.Correction) error {
	for _, c := range corrections {
		cell, err := cellOf(c.Value)
		if err != nil {
			return fmt.Errorf("decode correction of %s in row %d: %w", c.Field, c.Row, err)
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

// cellOf converts a JSON value into a cell: a string becomes a text cell, as in the file; numbers
// and booleans keep their type; null becomes an empty cell.
func cellOf(value json.RawMessage) (sheet.Cell, error) {
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

// correction returns the corrected cell of a row's field, if there is one.
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
