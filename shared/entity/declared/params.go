package declared

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
)

// params are the parameters of a statement: arrays, which it reads as the table v.
type params struct {
	list          []entity.Param
	arrays, names []string
}

// add adds an array as a column of v. Postgres does not see how long it is, so that it looks up a few
// thousand rows one by one instead of reading the whole table.
func (p *params) add(name string, c *entity.Column, arrayType string) {
	p.list = append(p.list, entity.ArrayParam(c))
	p.arrays = append(p.arrays, fmt.Sprintf("(SELECT $%d::%s)", len(p.list), arrayType))
	p.names = append(p.names, name)
}

// addFields adds the values of fields of a batch.
func (p *params) addFields(b *entity.Batch, fields []int) {
	for _, at := range fields {
		p.add(cell(at), &b.Columns[at], b.Columns[at].Kind().ArrayType())
	}
}

// addTexts adds texts, "" for NULL if they may be missing.
func (p *params) addTexts(name string, texts []string, arrayType string) {
	c := entity.NewColumn(entity.Text, len(texts))
	for _, text := range texts {
		c.AppendText([]byte(text))
	}
	p.add(name, &c, arrayType)
}

// addNumbers adds numbers.
func (p *params) addNumbers(name string, numbers []int64) {
	c := entity.NewColumn(entity.Integer, len(numbers))
	for _, n := range numbers {
		c.AppendInt64(n)
	}
	p.add(name, &c, "int8[]")
}

// addText adds a text that is not part of v, and returns its parameter.
func (p *params) addText(text string) string {
	p.list = append(p.list, entity.TextParam(text))
	return fmt.Sprintf("$%d::text", len(p.list))
}

// from returns the SQL of the table v, with the 1-based place of each row.
func (p *params) from() string {
	return fmt.Sprintf("unnest(%s) WITH ORDINALITY AS v(%s, _lb_place)", strings.Join(p.arrays, ", "), strings.Join(p.names, ", "))
}

// cell is the name in statements of a field's value. Names that begin with _lb_ do not clash with
// those of the table's columns in its own expressions.
func cell(field int) string { return fmt.Sprintf("_lb_c%d", field) }
