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

// parseMapping validates and normalises the mapping of the request, and returns the options
// with the mapping's reading options added. The request's own options take precedence.
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
		return nil, fmt.Errorf("encode mapping: %w", err)
	}
	if d.Source == nil {
		return options, nil
	}
	return mergeOptions(*d.Source, options)
}

// mergeOptions adds the options of a mapping's source that are not set otherwise.
func mergeOptions(source sheet.Options, options json.RawMessage) (json.RawMessage, error) {
	joined, requested := make(map[string]json.RawMessage), make(map[string]json.RawMessage)
	stated, err := json.Marshal(source)
	if err != nil {
		return nil, fmt.Errorf("encode mapping: %w", err)
	}
	if err := errors.Join(json.Unmarshal(stated, &joined), json.Unmarshal(options, &requested)); err != nil {
		return nil, fmt.Errorf("join options and mapping: %w", err)
	}
	if requested["sheetName"] != nil || requested["sheetIndex"] != nil {
		delete(joined, "sheetName") // both select the sheet
		delete(joined, "sheetIndex")
	}
	maps.Copy(joined, requested)
	return json.Marshal(joined)
}
