package rows

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
)

// ConstantError returns the reason why a text is invalid as the constant value of a field, or "".
// For references it validates the text only and does not look up the entity.
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
