package rows

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
)

// ConstantError says why a field cannot have a text as the value of all its rows, or ""
// where it can. A text that stands for an entity is only looked at as a text.
func ConstantError(d *entity.Declaration, c *job.MappedColumn) (string, error) {
	plan, err := NewPlan(d, []job.MappedColumn{*c})
	if err != nil {
		return "", err
	}
	decoder := NewDecoder(plan, &job.Job{}, &sheet.Dialect{Format: sheet.CSV}, 1)
	for _, e := range decoder.Add(&sheet.Row{Number: 1}) {
		if e.Field == c.TargetField {
			return e.Message, nil
		}
	}
	return "", nil
}
