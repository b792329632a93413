package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/transform"
)

// Parse parses a document and checks its limits. Its error is a *problem.Error,
// MAPPING_INVALID, that lists each invalid part: "fields[2].separator".
func Parse(text []byte) (*Document, error) {
	if len(text) > MaxBytes {
		return nil, problem.New(problem.MappingInvalid, "A mapping can have at most %d bytes.", MaxBytes)
	}
	if member, ok := pgtext.ValidJSON(text); !ok {
		return nil, problem.New(problem.MappingInvalid, "The mapping contains text that cannot be stored.").With(member, problem.MappingInvalid, pgtext.RuleText)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	// A pointer to a pointer distinguishes null from an object.
	doc := &Document{}
	err := d.Decode(&doc)
	if err == nil && doc == nil {
		return nil, problem.New(problem.MappingInvalid, "The mapping must be a JSON object.")
	}
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			return nil, problem.New(problem.MappingInvalid, "The mapping must be a single JSON object.")
		}
	}
	if err != nil {
		return nil, problem.Wrap(err, problem.MappingInvalid, "The mapping does not match its schema: %s.", problem.DescribeJSON(err))
	}
	if err := doc.Validate(); err != nil {
		return nil, err
	}
	return doc, nil
}

// Validate checks the limits of a document, as Parse does.
func (d *Document) Validate() error {
	c := newChecker()
	c.source(d.Source)
	c.atMost("fields", len(d.Fields), MaxFields)
	c.atMost("ignore", len(d.Ignore), MaxIgnored)
	c.atMost("values", len(d.Values), MaxValues)
	c.atMost("defaults", len(d.Defaults), MaxDefaults)
	if len(c.problem.Fields) > 0 {
		return c.problem // oversized documents are not examined further
	}
	c.fields(d.Fields)
	for i, header := range d.Ignore {
		c.header(fmt.Sprintf("ignore[%d]", i), header)
	}
	c.values(d.Values)
	c.defaults(d.Defaults)
	return c.err()
}

// checker collects the errors of a document, each by its path.
type checker struct {
	problem      *problem.Error
	steps        int
	instructions int // of all patterns
}

func newChecker() *checker {
	return &checker{problem: problem.New(problem.MappingInvalid, "The mapping is not valid.")}
}

// maxErrors is the maximum number of listed errors; the rest are found after fixing those.
const maxErrors = 50

func (c *checker) addError(path, rule string) {
	if len(c.problem.Fields) < maxErrors {
		c.problem.With(path, problem.MappingInvalid, rule)
	}
}

func (c *checker) err() error {
	if len(c.problem.Fields) > 0 {
		return c.problem
	}
	return nil
}

func (c *checker) atMost(path string, n, limit int) {
	if n > limit {
		c.addError(path, fmt.Sprintf("At most %d entries.", limit))
	}
}

// text checks that a text has between 1 and limit characters.
func (c *checker) text(path, text string, limit int) {
	if text == "" || utf8.RuneCountInString(text) > limit {
		c.addError(path, fmt.Sprintf("A text of 1 to %d characters.", limit))
	}
}

func (c *checker) header(path, header string) { c.text(path, header, MaxHeader) }

func (c *checker) source(o *sheet.Options) {
	if o == nil {
		return
	}
	if err := o.Validate(); err != nil {
		for _, f := range problem.From(err).Fields {
			c.addError("source."+f.Field, f.Message)
		}
	}
}

func (c *checker) fields(fields []Field) {
	seen := make(map[string]bool, len(fields))
	for i := range fields {
		f, path := &fields[i], fmt.Sprintf("fields[%d]", i)
		c.text(path+".field", f.Field, maxName)
		if seen[f.Field] {
			c.addError(path+".field", "Each field can occur only once. Join columns in one entry with from.")
		}
		seen[f.Field] = true
		c.checkColumns(path, f)
		c.transforms(path, f.Transforms)
		if f.DateOrder != "" && !sheet.IsDateOrder(f.DateOrder) {
			c.addError(path+".dateOrder", "One of dmy, mdy, ymd.")
		}
		if f.DecimalMark != "" && !sheet.IsDecimalMark(f.DecimalMark) {
			c.addError(path+".decimalMark", "A point or a comma.")
		}
	}
}

// checkColumns checks the source of a field.
func (c *checker) checkColumns(path string, f *Field) {
	switch {
	case (f.Constant != nil) == (len(f.From) > 0):
		c.addError(path, "A field needs either columns (from) or a constant.")
	case f.Constant != nil && (f.Separator != nil || len(f.Transforms) > 0):
		c.addError(path, "A constant cannot have a separator or transforms.")
	case f.Constant != nil:
		c.text(path+".constant", *f.Constant, MaxText)
	}
	c.atMost(path+".from", len(f.From), MaxFrom)
	for i, header := range f.From[:min(len(f.From), MaxFrom)] {
		c.header(fmt.Sprintf("%s.from[%d]", path, i), header)
	}
	if f.Separator != nil && utf8.RuneCountInString(*f.Separator) > MaxSeparator {
		c.addError(path+".separator", fmt.Sprintf("A text of up to %d characters.", MaxSeparator))
	}
}

func (c *checker) transforms(path string, steps []transform.Step) {
	if c.steps += len(steps); c.steps > MaxSteps {
		c.addError(path+".transforms", fmt.Sprintf("A mapping can have at most %d steps.", MaxSteps))
		return
	}
	chain, err := transform.Compile(steps)
	if err != nil {
		c.addError(path+".transforms", err.Error())
		return
	}
	before := c.instructions
	if c.instructions += chain.Instructions(); c.instructions > transform.MaxInstructions && before <= transform.MaxInstructions {
		c.addError(path+".transforms", "The patterns of the mapping are too large together. Use + or * instead of {n,m}.")
	}
}

func (c *checker) values(values []Value) {
	type key struct{ field, value string }
	seen := make(map[key]bool, len(values))
	for i := range values {
		v, path := &values[i], fmt.Sprintf("values[%d]", i)
		c.text(path+".field", v.Field, maxName)
		c.text(path+".value", v.Value, MaxText)
		if seen[key{v.Field, v.Value}] {
			c.addError(path+".value", "Each value of a field can occur only once.")
		}
		seen[key{v.Field, v.Value}] = true
		c.target(path, &v.Target)
	}
}

func (c *checker) defaults(defaults []Default) {
	seen := make(map[string]bool, len(defaults))
	for i := range defaults {
		d, path := &defaults[i], fmt.Sprintf("defaults[%d]", i)
		c.text(path+".field", d.Field, maxName)
		if seen[d.Field] {
			c.addError(path+".field", "Each field can occur only once.")
		}
		seen[d.Field] = true
		c.target(path, &d.Target)
	}
}
