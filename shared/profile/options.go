package profile

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/loadbay/loadbay/shared/sheet"
)

// Options returns the reading options of a file that uses this version: those of its source,
// overridden by those stated for this file, as stored in import_jobs. It returns the error of
// sheet.Options.Validate if the two conflict.
func (v *Version) Options(stated json.RawMessage) (json.RawMessage, error) {
	var mapping struct {
		Source json.RawMessage `json:"source"`
	}
	if err := json.Unmarshal(v.Mapping, &mapping); err != nil {
		return nil, fmt.Errorf("decode reading options of profile: %w", err)
	}
	return mergeOptions(mapping.Source, stated)
}

// mergeOptions returns a source's sheet.Options, if any, overridden by the stated ones.
func mergeOptions(source, stated json.RawMessage) (json.RawMessage, error) {
	if len(source) == 0 {
		return stated, nil
	}
	all, given := make(map[string]json.RawMessage), make(map[string]json.RawMessage)
	if err := json.Unmarshal(source, &all); err != nil {
		return nil, fmt.Errorf("decode reading options: %w", err)
	}
	if len(stated) > 0 {
		if err := json.Unmarshal(stated, &given); err != nil {
			return nil, fmt.Errorf("join reading options: %w", err)
		}
	}
	// A sheet is selected by either name or index.
	if given["sheetName"] != nil {
		delete(all, "sheetIndex")
	}
	if given["sheetIndex"] != nil {
		delete(all, "sheetName")
	}
	maps.Copy(all, given)
	text, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("join reading options: %w", err)
	}
	var options sheet.Options // the import type's own options do not concern the file
	if err := json.Unmarshal(text, &options); err != nil {
		return nil, fmt.Errorf("join reading options: %w", err)
	}
	return text, options.Validate()
}
