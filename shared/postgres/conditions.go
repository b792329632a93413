package postgres

import (
	"fmt"
	"strings"
	"time"
)

// Period is a span of time: from its beginning on, before its end. Zero is unbounded.
type Period struct{ From, Before time.Time }

// conditions are those of a statement that has only the ones that are asked for: of
// a condition that also allows for not being asked, no index could know.
type conditions struct {
	texts []string
	args  []any
}

// add adds a condition with one argument, whose number stands for %d.
func (c *conditions) add(text string, arg any) {
	c.args = append(c.args, arg)
	c.texts = append(c.texts, fmt.Sprintf(text, len(c.args)))
}

// inPeriod adds that a column is of a period.
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

// page adds the arguments of a part of a list, and returns its clause.
func (c *conditions) page(offset, limit int64) string {
	c.args = append(c.args, offset, limit)
	return fmt.Sprintf(` OFFSET $%d LIMIT $%d`, len(c.args)-1, len(c.args))
}
