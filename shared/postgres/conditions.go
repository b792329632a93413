package postgres

import (
	"fmt"
	"strings"
	"time"

	"github.com/loadbay/loadbay/shared/job"
)

// Period is a span of time, including From and excluding Before. Zero is unbounded.
type Period struct{ From, Before time.Time }

// conditions collects the conditions of a statement. It contains only the requested ones, as
// no index could be used for a condition that is optional in SQL.
type conditions struct {
	texts []string
	args  []any
}

// add adds a condition with one argument; %d is replaced by the argument's number.
func (c *conditions) add(text string, arg any) {
	c.args = append(c.args, arg)
	c.texts = append(c.texts, fmt.Sprintf(text, len(c.args)))
}

// inPeriod adds the condition that a column is within a period.
func (c *conditions) inPeriod(column string, p Period) {
	if !p.From.IsZero() {
		c.add(column+` >= $%d`, p.From)
	}
	if !p.Before.IsZero() {
		c.add(column+` < $%d`, p.Before)
	}
}

func (c *conditions) where() string {
	if len(c.texts) == 0 {
		return ""
	}
	return `WHERE ` + strings.Join(c.texts, ` AND `)
}

// page adds the arguments of a page, and returns its clause.
func (c *conditions) page(p job.Page) string {
	c.args = append(c.args, p.Offset, p.Limit)
	return fmt.Sprintf(` OFFSET $%d LIMIT $%d`, len(c.args)-1, len(c.args))
}
