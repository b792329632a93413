package profile

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Options are the options of a file that is read by a mapping: those of its source, and
// before them those that were stated for this very file, as import_jobs keeps them. Its
// error is that of sheet.Options.Validate, where the two do not go together.
func Options(doc *document.Document, stated json.RawMessage) (json.RawMessage, error) {
	if doc.Source == nil {
		return stated, nil
	}
	text, err := json.Marshal(doc.Source)
	if err != nil {
		return nil, fmt.Errorf("options of a source: %w", err)
	}
	var merged, given map[string]json.RawMessage
	if err := json.Unmarshal(text, &merged); err != nil {
		return nil, fmt.Errorf("options of a source: %w", err)
	}
	if len(stated) > 0 {
		if err := json.Unmarshal(stated, &given); err != nil {
			return nil, fmt.Errorf("options of a file: %w", err)
		}
	}
	// A sheet is named in one way.
	if given["sheetName"] != nil {
		delete(merged, "sheetIndex")
	}
	if given["sheetIndex"] != nil {
		delete(merged, "sheetName")
	}
	maps.Copy(merged, given)
	if text, err = json.Marshal(merged); err != nil {
		return nil, fmt.Errorf("options of a file: %w", err)
	}
	var options sheet.Options // the type's own options are none of the file's
	if err := json.Unmarshal(text, &options); err != nil {
		return nil, fmt.Errorf("options of a file: %w", err)
	}
	return text, options.Validate()
}
