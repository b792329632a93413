package profile

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/loadbay/loadbay/shared/sheet"
)

// Options are the options of a file that is read by this version: those of its source,
// and before them those that were stated for this very file, as import_jobs keeps them.
// Its error is that of sheet.Options.Validate, where the two do not go together.
func (v *Version) Options(stated json.RawMessage) (json.RawMessage, error) {
	var said struct {
		Source json.RawMessage `json:"source"`
	}
	if err := json.Unmarshal(v.Mapping, &said); err != nil {
		return nil, fmt.Errorf("source of profile: %w", err)
	}
	return mergeOptions(said.Source, stated)
}

// mergeOptions are the options of a source, sheet.Options or none, with those that are stated
// before them.
func mergeOptions(source, stated json.RawMessage) (json.RawMessage, error) {
	if len(source) == 0 {
		return stated, nil
	}
	all, given := make(map[string]json.RawMessage), make(map[string]json.RawMessage)
	if err := json.Unmarshal(source, &all); err != nil {
		return nil, fmt.Errorf("options of a source: %w", err)
	}
	if len(stated) > 0 {
		if err := json.Unmarshal(stated, &given); err != nil {
			return nil, fmt.Errorf("options of a file: %w", err)
		}
	}
	// A sheet is named in one way.
	if given["sheetName"] != nil {
		delete(all, "sheetIndex")
	}
	if given["sheetIndex"] != nil {
		delete(all, "sheetName")
	}
	maps.Copy(all, given)
	text, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("options of a file: %w", err)
	}
	var options sheet.Options // the type's own options are none of the file's
	if err := json.Unmarshal(text, &options); err != nil {
		return nil, fmt.Errorf("options of a file: %w", err)
	}
	return text, options.Validate()
}
