package submit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/sheet"
)

// parseMapping checks the mapping that comes with the request, keeps it in one form, and
// returns the options with those that it states: what the options say themselves stands
// before that.
func (r *Request) parseMapping(options json.RawMessage) (json.RawMessage, error) {
	if text := bytes.TrimSpace(r.Mapping); len(text) == 0 || string(text) == "null" {
		r.Mapping = nil
		return options, nil
	}
	d, err := apply.Parse(r.Mapping, r.Type)
	if err != nil {
		return nil, err
	}
	if r.Mapping, err = json.Marshal(d); err != nil {
		return nil, fmt.Errorf("keep mapping: %w", err)
	}
	if d.Source == nil {
		return options, nil
	}
	return mergeOptions(*d.Source, options)
}

// mergeOptions adds the options of a mapping's source that are not stated otherwise.
func mergeOptions(source sheet.Options, options json.RawMessage) (json.RawMessage, error) {
	joined, said := make(map[string]json.RawMessage), make(map[string]json.RawMessage)
	stated, err := json.Marshal(source)
	if err != nil {
		return nil, fmt.Errorf("keep mapping: %w", err)
	}
	if err := errors.Join(json.Unmarshal(stated, &joined), json.Unmarshal(options, &said)); err != nil {
		return nil, fmt.Errorf("join options and mapping: %w", err)
	}
	if said["sheetName"] != nil || said["sheetIndex"] != nil {
		delete(joined, "sheetName") // two ways to say which sheet
		delete(joined, "sheetIndex")
	}
	maps.Copy(joined, said)
	return json.Marshal(joined)
}
