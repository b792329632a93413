package process

import (
	"strconv"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
)

// plan says which column of the file fills which field, and what a person has
// said about values.
type plan struct {
	*rows.Plan
	known map[decision]job.MappedCell
}

// decision is the key of a cell mapping.
type decision struct{ field, value string }

func newPlan(d *entity.Declaration, columns []job.MappedColumn, cells []job.MappedCell, asks bool) (*plan, error) {
	rowPlan, err := rows.NewPlan(d, columns)
	if err != nil {
		return nil, err
	}
	rowPlan.Heed(cells, asks)
	p := &plan{Plan: rowPlan, known: make(map[decision]job.MappedCell, len(cells))}
	for _, c := range cells {
		p.known[decision{c.TargetField, c.Value}] = c
	}
	return p, nil
}

// spelling is how the entity that is made of a value is called: of values that
// differ only in case, as the first one in the file is written.
func (p *plan) spelling(field, value string) string {
	first, name := p.known[decision{field, value}].FirstRow, value
	for index, c := range p.known {
		if index.field == field && c.Create && c.FirstRow < first && strings.EqualFold(index.value, value) {
			first, name = c.FirstRow, index.value
		}
	}
	return name
}

func parseID(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }
