package job

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

// Option declares an option of an import. POST /api/imports and the drop folder accept all options.
type Option struct {
	Name  string     `json:"name"` // in JSON and forms; see also SnakeName and FlagName
	Kind  OptionKind `json:"kind"`
	In    OptionUse  `json:"-"`
	Title string     `json:"title"`
	// Description says what the option does, without a period: it is also the help of its flag.
	Description string   `json:"description"`
	Values      []string `json:"values,omitempty"` // of a text with fixed values
	Rule        string   `json:"rule,omitempty"`   // what a valid value is; "" if any is
	// WholeFile means that only types whose files are processed as a whole have the option.
	WholeFile bool `json:"-"`

	valid func(*ImportOptions) bool
}

// OptionKind is the kind of an option's value.
type OptionKind string

// The kinds of options.
const (
	FlagOption   OptionKind = "flag"   // true or false
	TextOption   OptionKind = "text"   // a text, or one of Values
	ListOption   OptionKind = "list"   // texts; separated by commas in forms
	ObjectOption OptionKind = "object" // JSON
)

// OptionUse is the set of places where an option is accepted.
type OptionUse uint8

// The places of options.
const (
	InV1          OptionUse = 1 << iota // POST /v1/imports
	InUploadQuery                       // the query of a type's own upload
	InUploadForm                        // the form of a type's own upload
	AsDefault                           // an organisation's settings
	InProfile                           // profiles
	AsFlag                              // the command line
	InConsole                           // the generated fields of the console
)

// everywhere are the places of a stored option.
const everywhere = InV1 | InUploadForm | AsDefault | InProfile | AsFlag | InConsole

// maxLabel is the maximum length of a label in characters.
const maxLabel = 100

// Options returns the declarations of all options, in the order of the documentation.
func Options() []Option {
	return []Option{
		{
			Name: "mode", Kind: TextOption, In: InV1 | AsDefault | AsFlag, Title: "Mode", Values: texts(rowwrite.Modes()),
			Description: "how to handle existing entries: insert reports an error, upsert updates them, update creates no others",
			Rule:        problem.OneOf(rowwrite.Modes()),
			valid: func(o *ImportOptions) bool {
				return o.Mode == "" || slices.Contains(rowwrite.Modes(), o.Mode)
			},
		},
		{
			Name: "review", Kind: TextOption, In: InV1 | InUploadQuery | AsDefault | AsFlag, Title: "Review", Values: texts(Reviews[:]),
			Description: "when to ask about columns: always, unsure or never",
			Rule:        problem.OneOf(Reviews[:]),
			valid:       func(o *ImportOptions) bool { return o.Review == "" || o.Review.Valid() },
		},
		{
			Name: "autoStart", Kind: FlagOption, Title: "Automatic start",
			Description: "never ask: matched columns are imported, others are ignored",
		},
		{
			Name: "skipMappingPhases", Kind: FlagOption, In: InUploadQuery, WholeFile: true, Title: "Skip questions",
			Description: "skip the questions about columns and values of a file that is processed as a whole",
		},
		{
			Name: "dryRun", Kind: FlagOption, In: InV1 | AsFlag, Title: "Dry run",
			Description: "check every row without writing",
		},
		{
			Name: "plan", Kind: FlagOption, In: InV1 | InUploadForm | AsFlag, Title: "Plan",
			Description: "plan the changes, and write them only when the plan is applied",
		},
		{
			Name: "approval", Kind: TextOption, In: InV1 | InUploadForm | AsDefault | AsFlag, Title: "Approval", Values: texts([]Approval{ApprovalAny, ApprovalOther}),
			Description: "who can apply the plan: any, or other (not the person who created the import)",
			Rule:        problem.OneOf([]Approval{ApprovalAny, ApprovalOther}),
			valid:       func(o *ImportOptions) bool { return o.Approval.Valid() },
		},
		{
			Name: "guards", Kind: ObjectOption, In: InV1 | InUploadForm | AsDefault | AsFlag, Title: "Guards",
			Description: `the changes that need no approval, as JSON such as {"created":100,"updated":"2.5%"}`,
			Rule:        GuardsRule,
			valid:       func(o *ImportOptions) bool { return o.Guards == nil || o.Guards.Valid() },
		},
		{
			Name: "profile", Kind: TextOption, In: InV1 | InUploadQuery | AsFlag, Title: "Profile",
			Description: "the profile to use for the file",
		},
		{
			Name: "label", Kind: TextOption, In: InV1 | InUploadForm | AsFlag, Title: "Label",
			Description: "a label to find the import",
			Rule:        "Up to 100 characters on one line, without surrounding white space.",
			valid:       func(o *ImportOptions) bool { return isLabel(o.Label) },
		},
		{
			Name: "maxErrors", Kind: TextOption, In: InV1 | InUploadForm | AsDefault | AsFlag, Title: "Maximum errors",
			Description: "the number or percentage of failed rows above which the import stops, such as 100 or 2.5%",
			Rule:        ErrorLimitRule,
			valid:       func(o *ImportOptions) bool { return o.MaxErrors.Valid() },
		},
		{
			Name: "notify", Kind: ListOption, In: InV1 | InUploadForm | AsFlag, Title: "Recipients",
			Description: "the e-mail addresses to notify when the import waits or has ended, separated by commas",
			Rule:        AddressesRule,
			valid:       func(o *ImportOptions) bool { return AreValidAddresses(o.Notify) },
		},
		{
			Name: "retryOf", Kind: TextOption, In: AsFlag, Title: "Retry of",
			Description: "the import whose failed rows this file retries",
		},
		{
			Name: "strict", Kind: FlagOption, In: everywhere, Title: "Strict",
			Description: "fail, or ask, if a column with values is not used",
		},
	}
}

// OptionsIn returns the options that are accepted in a place.
func OptionsIn(place OptionUse) (found []Option) {
	for _, o := range Options() {
		if o.In&place != 0 {
			found = append(found, o)
		}
	}
	return found
}

// JSONName is the option's name in JSON, and in the forms of /api: maxErrors.
func (o *Option) JSONName() string { return o.Name }

// SnakeName is the option's name in /v1: max_errors.
func (o *Option) SnakeName() string { return o.separated('_') }

// FlagName is the option's name on the command line: max-errors.
func (o *Option) FlagName() string { return o.separated('-') }

// separated returns the words of the name in lower case, with a separator.
func (o *Option) separated(by byte) string {
	var b strings.Builder
	for _, c := range o.Name {
		if unicode.IsUpper(c) {
			b.WriteByte(by)
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// SetText sets an option to its value in a form, a query or a flag of the command line. It returns
// the rule that the text breaks, or "".
func (o *ImportOptions) SetText(option *Option, text string) (rule string) {
	if value, err := option.fromText(text); err != nil || o.Set(option.Name, value) != nil {
		return option.textRule()
	}
	return ""
}

// ParseText returns the JSON value of a text as for SetText, or the rule that the text breaks. Only
// the kind of the value is checked.
func (o *Option) ParseText(text string) (value json.RawMessage, rule string) {
	if rule := new(ImportOptions).SetText(o, text); rule != "" {
		return nil, rule
	}
	value, _ = o.fromText(text)
	return value, ""
}

// textRule is the rule of the option as a text.
func (o *Option) textRule() string {
	switch o.Kind {
	case FlagOption:
		return "Either true or false."
	case ObjectOption:
		return "As JSON: " + o.Rule
	}
	return o.Rule
}

// fromText returns the JSON value of a text.
func (o *Option) fromText(text string) (json.RawMessage, error) {
	switch o.Kind {
	case FlagOption:
		if text != "true" && text != "false" {
			return nil, errors.New("not a flag")
		}
		return json.RawMessage(text), nil
	case ObjectOption:
		return json.RawMessage(text), nil
	case ListOption:
		parts := strings.Split(text, ",")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		return json.Marshal(parts)
	default:
		return json.Marshal(text)
	}
}

// isLabel reports whether the text can be the label of an import.
func isLabel(text string) bool {
	return utf8.RuneCountInString(text) <= maxLabel && pgtext.ValidText(text) && !strings.ContainsFunc(text, unicode.IsControl) && strings.TrimSpace(text) == text
}

func texts[T ~string](values []T) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}
