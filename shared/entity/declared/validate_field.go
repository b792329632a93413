package declared

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"time"

	"github.com/loadbay/loadbay/shared/mapping/concept/conceptlist"
)

// kinds are the values of Field.Kind.
var kinds = []string{"text", "email", "enum", "uuid", "integer", "decimal", "boolean", "date", "timestamp", "json", "textList"}

// declaredFields checks the fields and returns their names.
func (c *checker) declaredFields(fields []Field) map[string]bool {
	names, columns := make(map[string]bool, len(fields)), make(map[string]bool, len(fields))
	owners := make(map[string]string)
	if len(fields) == 0 {
		c.add("fields", "Declare at least one field.")
	}
	for i := range fields {
		f, path := &fields[i], index("fields", i)
		switch {
		case !ValidName(f.Name):
			c.add(path+".name", nameRule)
		case names[f.Name]:
			c.add(path+".name", "The name is used by another field. Choose another name.")
		}
		if names[f.Name] = true; columns[f.Column] && f.Column != "" {
			c.add(path+".column", "Another field writes this column. Remove one of the fields.")
		}
		columns[f.Column] = true
		c.field(path, f)
		for j, concept := range f.Concepts {
			if owner := owners[concept]; owner != "" && owner != f.Name {
				c.add(index(path+".concepts", j), fmt.Sprintf("Field %s has this concept. Remove it from one of the fields, or a header with that meaning matches neither.", shorten(owner)))
			}
			owners[concept] = f.Name
		}
	}
	return names
}

func (c *checker) field(path string, f *Field) {
	c.identifier(path+".column", f.Column)
	if f.Title != "" {
		c.text(path+".title", f.Title, maxText)
	}
	for language, titles := range f.Titles {
		at := join(path+".titles", language)
		if !languagePattern.MatchString(language) {
			c.add(at, "Use a language's code, such as de or pt-BR.")
		}
		if len(titles) == 0 {
			c.add(at, "List at least one title.")
		}
		c.texts(at, titles)
	}
	c.texts(path+".aliases", f.Aliases)
	c.concepts(path+".concepts", f.Concepts)
	c.texts(path+".placeholders", f.Placeholders)
	c.oneOf(path+".kind", f.Kind, kinds, true)
	c.oneOf(path+".rounding", f.Rounding, []string{"refuse", "warn", "halfUp"}, true)
	c.oneOf(path+".empty", f.Empty, []string{"keep", "null"}, true)
	if f.Empty == "null" && f.Required {
		c.add(path+".empty", "A required field cannot be empty. Remove required or empty.")
	}
	c.synonyms(path, f)
	c.limits(path, f)
	if f.Reference != nil {
		c.reference(path+".reference", f.Reference)
	}
	if f.Computed != "" {
		c.computed(path, f)
	}
}

// concepts checks that the concepts exist.
func (c *checker) concepts(path string, list []string) {
	c.atMost(path, len(list), maxEntries)
	c.distinct(path, list)
	for i, concept := range list {
		if !conceptlist.Valid(concept) {
			c.add(index(path, i), fmt.Sprintf("Concept %q does not exist. Use one that GET /api/types/schema lists, such as contact.email or receiver:address.city.", shorten(concept)))
		}
	}
}

var languagePattern = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

func (c *checker) synonyms(path string, f *Field) {
	c.atMost(path+".synonyms", len(f.Synonyms), MaxFields)
	if len(f.Synonyms) > 0 && f.Kind != "" && f.Kind != "enum" {
		c.add(path+".synonyms", "Only fields of kind enum have synonyms.")
	}
	for word, value := range f.Synonyms {
		at := join(path+".synonyms", word)
		c.text(at, word, maxText)
		c.text(at, value, maxText)
	}
}

// limits checks the limits of a field's values.
func (c *checker) limits(path string, f *Field) {
	if f.MaxLength < 0 {
		c.add(path+".maxLength", "Use a number above 0.")
	}
	if len(f.Pattern) > maxExpression {
		c.add(path+".pattern", fmt.Sprintf("Use at most %d characters.", maxExpression))
	} else if _, err := regexp.Compile(f.Pattern); err != nil {
		c.add(path+".pattern", "This is no regular expression (RE2): "+strings.TrimPrefix(err.Error(), "error parsing regexp: ")+".")
	}
	if f.Pattern != "" {
		c.text(path+".patternHint", f.PatternHint, maxText)
	}
	smallest, largest := c.number(path+".min", f.Min), c.number(path+".max", f.Max)
	if smallest != nil && largest != nil && smallest.Cmp(largest) > 0 {
		c.add(path+".max", "The largest number is below the smallest one.")
	}
	if f.Zone != "" {
		if _, err := time.LoadLocation(f.Zone); err != nil || f.Zone == "Local" {
			c.add(path+".zone", "Unknown time zone. Use a name such as Europe/Amsterdam.")
		}
	}
	for at, text := range map[string]string{".separator": f.Separator, ".unit": f.Unit} {
		if text != "" && len([]rune(text)) > 20 {
			c.add(path+at, "Use at most 20 characters.")
		}
	}
	if f.Default != nil {
		c.text(path+".default", *f.Default, maxText)
	}
}

// numberPattern keeps the exponents of big.Rat out, which could need any amount of memory.
var numberPattern = regexp.MustCompile(`^-?\d{1,40}(\.\d{1,40})?$`)

func (c *checker) number(path, text string) *big.Rat {
	if text == "" {
		return nil
	}
	if !numberPattern.MatchString(text) {
		c.add(path, "Use a number such as 0 or 99.95.")
		return nil
	}
	number, _ := new(big.Rat).SetString(text)
	return number
}

func (c *checker) reference(path string, r *Reference) {
	c.table(path+".table", r.Table)
	for at, name := range map[string]string{".column": r.Column, ".within": r.Within} {
		if name != "" {
			c.identifier(path+at, name)
		}
	}
	if len(r.By) == 0 {
		c.add(path+".by", "List the columns by which rows of the table are found, such as [[code], [name]].")
	}
	c.atMost(path+".by", len(r.By), maxEntries)
	for i, columns := range r.By {
		at := index(path+".by", i)
		if len(columns) == 0 {
			c.add(at, "List the columns of this key.")
		}
		c.identifiers(at, columns)
	}
	c.oneOf(path+".create", r.Create, []string{"never"}, true)
}

// computed checks a field that no column of a file determines.
func (c *checker) computed(path string, f *Field) {
	c.text(path+".computed", f.Computed, maxExpression)
	for at, is := range map[string]bool{".reference": f.Reference != nil, ".default": f.Default != nil, ".aliases": len(f.Aliases) > 0, ".concepts": len(f.Concepts) > 0, ".required": f.Required, ".empty": f.Empty != ""} {
		if is {
			c.add(path+at, "A computed field has no such property. Remove it.")
		}
	}
}
