package httpapi

import (
	"encoding/json"
	"net/http"
)

// textFileOptions are the reading options that a type's own upload accepts by name, because the
// errors of rows name them, in the query or in the form. All other options are accepted in the form
// field options.
var textFileOptions = []string{"encoding", "dateOrder", "decimalMark"}

// fileOptionNames returns the names of the parameters that fileOptions reads.
func fileOptionNames() []string { return append([]string{"sheetIndex"}, textFileOptions...) }

// fileOptions reads the reading options that have parameters of their own.
func (v *values) fileOptions() map[string]any {
	options := make(map[string]any)
	if index := v.number("sheetIndex"); index != nil {
		options["sheetIndex"] = *index
	}
	for _, name := range textFileOptions {
		if text := v.text(name); text != "" {
			options[name] = text
		}
	}
	return options
}

// readFileForm reads the form of a type's own upload. options are those of the query; each may be
// set only once.
func (c *importRequest) readFileForm(r *http.Request, options map[string]any) error {
	f, err := readForm(r)
	if err != nil {
		return err
	}
	fields := newValues(f.fields)
	c.readUploadForm(fields, append(fileOptionNames(), "options")...)
	addOptions(fields, options, fields.fileOptions())
	if document := fields.json("options"); document != nil {
		var own map[string]json.RawMessage
		if json.Unmarshal(document, &own) != nil {
			fields.addError("options", `A JSON object, such as {"decimalMark":","}.`)
		}
		addOptions(fields, options, own)
	}
	if err := fields.err(); err != nil {
		return err
	}
	c.file = f.file
	c.Options, err = json.Marshal(options)
	return err
}

// addOptions adds options to others, and records an error for those that are already set.
func addOptions[Value any](v *values, to map[string]any, options map[string]Value) {
	for name, value := range options {
		if _, set := to[name]; set {
			v.addError(name, "Set this option only once.")
		}
		to[name] = value
	}
}
