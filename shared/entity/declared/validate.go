package declared

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/pgtext"
)

// Lengths in characters, and numbers of entries.
const (
	maxText       = 300
	maxExpression = 4_000
	maxIdentifier = 63 // bytes, as in Postgres
	maxEntries    = 100
	maxSettings   = 10
)

var namePattern = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,62}$`)

// ValidName reports whether a text can be the name of a type or of a field.
func ValidName(name string) bool { return namePattern.MatchString(name) }

const nameRule = "Use 1 to 63 letters A to Z, digits and underscores, and begin with a letter."

// modes are the values of Declaration.Modes.
var modes = []string{"insert", "upsert", "update"}

// declaration checks all that does not depend on the table.
func (c *checker) declaration(d *Declaration) {
	if d.Loadbay != Version1 {
		c.add("loadbay", "Use "+Version1+", the version of this format.")
	}
	if !ValidName(d.Name) {
		c.add("name", nameRule)
	}
	c.text("title", d.Title, maxText)
	c.texts("subjects", d.Subjects)
	c.target(&d.Target)
	c.tenant(&d.Tenant)
	c.identifiers("identity", d.Identity)
	if len(d.Identity) == 0 {
		c.add("identity", "List the columns of the primary key, or of a unique index without NULLs.")
	}
	c.identifiers("touched", d.Touched)
	if d.Deleted != nil {
		c.identifier("deleted.column", d.Deleted.Column)
		c.oneOf("deleted.again", string(d.Deleted.Again), texts(Revive, AgainError, AgainNew), false)
	}
	c.oneOf("capture", string(d.Capture), texts(CaptureReturning, CaptureOff), true)
	names := c.declaredFields(d.Fields)
	c.keys(d, names)
	if d.Person != nil {
		c.fieldName("person.key", d.Person.Key, names)
	}
	c.rules(d.Rules, names)
	c.messages(d.Messages)
	c.reactions(&d.OnDrift)
}

func (c *checker) target(t *Target) {
	if t.Database != "" {
		c.identifier("target.database", t.Database)
	}
	c.table("target.table", t.Table)
	if utf8.RuneCountInString(t.Catalogue) > maxText {
		c.add("target.catalogue", fmt.Sprintf("Use at most %d characters.", maxText))
	}
}

func (c *checker) tenant(t *Tenant) {
	restricted := t.Column != "" || len(t.Session) > 0
	switch {
	case t.None == restricted:
		c.add("tenant", "Set none, or else column, session or both.")
	case t.Column != "":
		c.identifier("tenant.column", t.Column)
		c.text("tenant.value", t.Value, maxText)
	case t.Value != "":
		c.add("tenant.value", "A value needs a column.")
	}
	c.atMost("tenant.session", len(t.Session), maxSettings)
	for name, value := range t.Session {
		path := join("tenant.session", name)
		if !ValidSetting(name) {
			c.add(path, "Use the name of a custom setting, such as app.tenant_id, which neither Loadbay nor Postgres uses itself.")
		}
		c.text(path, value, maxText)
	}
}

// settingPattern matches custom settings of Postgres: others could change how statements are read.
var settingPattern = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,30}\.[a-z_][a-z0-9_]{0,30}$`)

// ValidSetting reports whether a declaration may set a setting of the session.
func ValidSetting(name string) bool {
	prefix, _, _ := strings.Cut(name, ".")
	return settingPattern.MatchString(name) && !slices.Contains(ownSettings, name) && !slices.Contains(reservedPrefixes, prefix)
}

// ownSettings are those by which Loadbay's statements and triggers work, and reservedPrefixes those of
// Postgres's languages and Loadbay.
var (
	ownSettings      = []string{"app.organisation", "app.capture", "app.captured", "app.updated_row"}
	reservedPrefixes = []string{"loadbay", "plpgsql", "plperl", "plpython", "pltcl"}
)

func (c *checker) keys(d *Declaration, fields map[string]bool) {
	c.distinct("modes", d.Modes)
	for i, m := range d.Modes {
		c.oneOf(index("modes", i), m, modes, false)
	}
	if len(d.Keys) == 0 && !slices.Equal(d.Modes, []string{"insert"}) {
		c.add("keys", "Declare a key by which rows are found, or allow only the mode insert.")
	}
	c.atMost("keys", len(d.Keys), maxEntries)
	names := make([]string, len(d.Keys))
	for i, k := range d.Keys {
		path := index("keys", i)
		names[i] = k.Name
		c.text(path+".name", k.Name, maxText)
		c.identifier(path+".index", k.Index)
		if len(k.Fields) == 0 {
			c.add(path+".fields", "List the fields of the key.")
		}
		c.distinct(path+".fields", k.Fields)
		for j, name := range k.Fields {
			c.fieldName(index(path+".fields", j), name, fields)
		}
	}
	c.distinct("keys", names)
}

func (c *checker) rules(rules []Rule, fields map[string]bool) {
	c.atMost("rules", len(rules), maxEntries)
	for i, r := range rules {
		path := index("rules", i)
		c.text(path+".check", r.Check, maxExpression)
		c.fieldName(path+".field", r.Field, fields)
		c.text(path+".message", r.Message, maxText)
	}
}

func (c *checker) messages(messages map[string]string) {
	c.atMost("messages", len(messages), MaxFields)
	for constraint, text := range messages {
		path := join("messages", constraint)
		c.identifier(path, constraint)
		c.text(path, text, maxText)
	}
}

func (c *checker) reactions(o *OnDrift) {
	for path, r := range map[string]Reaction{
		"columnAdded": o.ColumnAdded, "columnRequired": o.ColumnRequired, "columnGone": o.ColumnGone,
		"typeChanged": o.TypeChanged, "keyChanged": o.KeyChanged, "checkChanged": o.CheckChanged,
	} {
		c.oneOf("onDrift."+path, string(r), texts(Hold, Tell, Ignore), true)
	}
}

// SplitTable splits the name of a table, schema.table, into its parts. A part that contains a dot is
// in double quotes.
func SplitTable(name string) (schema, table string, ok bool) {
	schema, rest, ok := cutPart(name)
	if !ok || !strings.HasPrefix(rest, ".") {
		return "", "", false
	}
	table, rest, ok = cutPart(rest[1:])
	return schema, table, ok && rest == "" && validIdentifier(schema) && validIdentifier(table)
}

// cutPart returns the first part of a table's name and the text after it.
func cutPart(text string) (part, rest string, ok bool) {
	if quoted, is := strings.CutPrefix(text, `"`); is {
		part, rest, ok = strings.Cut(quoted, `"`)
		return part, rest, ok
	}
	end := strings.IndexByte(text, '.')
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:], true
}

func (c *checker) table(path, name string) {
	if _, _, ok := SplitTable(name); !ok {
		c.add(path, "Write schema.table, as in the catalogue. A part that contains a dot is in double quotes.")
	}
}

func validIdentifier(name string) bool {
	return name != "" && len(name) <= maxIdentifier && pgtext.ValidText(name)
}

func (c *checker) identifier(path, name string) {
	if !validIdentifier(name) {
		c.add(path, fmt.Sprintf("Use a name of 1 to %d bytes, as in the catalogue.", maxIdentifier))
	}
}

func (c *checker) identifiers(path string, names []string) {
	c.atMost(path, len(names), maxEntries)
	c.distinct(path, names)
	for i, name := range names {
		c.identifier(index(path, i), name)
	}
}

func (c *checker) fieldName(path, name string, fields map[string]bool) {
	if !fields[name] {
		c.add(path, fmt.Sprintf("Field %q does not exist. Use the name of a field of this type.", shorten(name)))
	}
}

func (c *checker) text(path, text string, limit int) {
	if n := utf8.RuneCountInString(text); n < 1 || n > limit || !pgtext.ValidText(text) || strings.TrimSpace(text) == "" {
		c.add(path, fmt.Sprintf("Use a text of 1 to %d characters.", limit))
	}
}

func (c *checker) texts(path string, list []string) {
	c.atMost(path, len(list), maxEntries)
	c.distinct(path, list)
	for i, text := range list {
		c.text(index(path, i), text, maxText)
	}
}

func (c *checker) distinct(path string, list []string) {
	seen := make(map[string]bool, len(list))
	for i, text := range list {
		if seen[text] {
			c.add(index(path, i), "The entry is repeated. Remove one of them.")
		}
		seen[text] = true
	}
}

func (c *checker) atMost(path string, n, limit int) {
	if n > limit {
		c.add(path, fmt.Sprintf("Use at most %d entries.", limit))
	}
}

func (c *checker) oneOf(path, value string, allowed []string, optional bool) {
	if optional && value == "" || slices.Contains(allowed, value) {
		return
	}
	c.add(path, "One of "+strings.Join(allowed, ", ")+".")
}

func texts[T ~string](values ...T) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
